import { printable } from "../core/printable.ts";
import type { runRecord } from "../runs/run-view.ts";
import { Said, Status } from "./format.tsx";
import { Holds, Proposal } from "./run-holds.tsx";
import { Loads } from "./run-loads.tsx";
import { RunFacts, WhyNote } from "./run-summary.tsx";
import { Steps } from "./run-steps.tsx";
import type { Html, Shown } from "./shown.ts";

type Record = Awaited<ReturnType<typeof runRecord>>;
export type ShownRun = Omit<Record, "manifest">;
export type ShownStep = ShownRun["steps"][number] & { outputLength?: number };

export type RunModel = {
  workflow: string;
  /** The title of the memo that it has landed in, where that is still there. */
  landedTitle: string | null;
  /** What it was asked for; null where the queue's row has gone on to a later generation. */
  item: { enqueuedAt: number; dedupeKey: string; payload: string } | null;
  run: ShownRun;
};

/** One run: how it stands and why, what each step did, what it read, what was decided. */
export function RunPage(model: RunModel, shown: Shown): Html {
  const { run, workflow, item } = model;
  return (
    <>
      <p class="small">
        <a href="/steward/runs">All runs</a>
      </p>
      <div class="head">
        <h1>
          Run of <Said text={workflow} />
        </h1>
        <Status of={run.status} />
      </div>
      <WhyNote model={model} shown={shown} />
      <RunFacts model={model} shown={shown} />
      <Steps run={run} shown={shown} />
      <Loads loads={run.loads} />
      <Holds run={run} shown={shown} />
      {run.proposal && <Proposal proposal={run.proposal} guards={run.guards} />}
      {item && (
        <section class="sheet" aria-labelledby="payload">
          <h2 id="payload">Asked for</h2>
          <pre tabindex={0}>
            <code dir="auto">{printable(item.payload)}</code>
          </pre>
        </section>
      )}
      <Again run={run} />
    </>
  );
}

/** The pages only read runs: what stops or repeats one is asked for in a terminal. */
function Again({ run: { runId, status } }: { run: ShownRun }): Html {
  const hasEnded = status === "done" || status === "failed" || status === "cancelled";
  return (
    <section class="sheet" aria-label={hasEnded ? "Run it again" : "Stop it"}>
      <details>
        <summary>{hasEnded ? "Run it again" : "Stop it"}</summary>
        <p>
          {hasEnded
            ? "A new run of the same item, of the workflow as it is then. What has landed will be there a second time."
            : "It ends as cancelled, and nothing of it lands."}{" "}
          In a terminal:
        </p>
        <pre tabindex={0}>
          <code>{`npx mythos runs ${hasEnded ? "rerun" : "cancel"} ${runId}`}</code>
        </pre>
      </details>
    </section>
  );
}
