import { truncate } from "../../lib/core/text.ts";
import type { Item } from "../../lib/queue/item.ts";
import type { runRecord } from "../../lib/runs/run-view.ts";

type RunRecord = Awaited<ReturnType<typeof runRecord>>;

/** Of a step's output as much is shown as anybody reads on a page; the whole is the API's. */
const OUTPUT_SHOWN = 8000;

/** A run's record with its long texts cut, so that a page and its twin have a size that can be sent. */
export function shownRecord({ manifest: _manifest, proposal, ...run }: RunRecord) {
  return {
    ...run,
    proposal: proposal && { ...proposal, text: truncate(proposal.text, OUTPUT_SHOWN) },
    steps: run.steps.map((step) => ({
      ...step,
      ...("output" in step && {
        output: truncate(step.output, OUTPUT_SHOWN),
        outputLength: step.output.length,
      }),
      ...("failed" in step &&
        step.failed && {
          failed: step.failed.map((call) => ({ ...call, output: truncate(call.output, OUTPUT_SHOWN) })),
        }),
    })),
  };
}

/** What a run was asked for. */
export const shownItem = ({ enqueuedAt, dedupeKey, payload }: Item) => ({
  enqueuedAt,
  dedupeKey,
  payload: truncate(payload, OUTPUT_SHOWN),
});
