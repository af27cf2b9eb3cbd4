import * as z from "zod";
import { cancel, cancelItem } from "../runs/cancel.ts";
import { runOfHold } from "../runs/run.ts";
import { agentTool } from "./agent-tool.ts";
import { STATES, workOfRun } from "./subject.ts";

/** Stops a run, or takes an item that waits out of its queue. */
export const cancelRun = agentTool({
  name: "cancel_run",
  description: "Stops a run or a queued item for good; what has not landed will not land.",
  scope: "runs:cancel",
  writes: true,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    run: z.string().min(1).max(200).describe("run or item"),
    reason: z.string().min(1).max(500),
  }),
  output: z.looseObject({ state: z.enum(STATES), run: z.string() }),
  label: ({ run, reason }) => `${run}: ${reason}`,
  async call(deps, { principal, sessionId }, input) {
    const id = input.run.trim();
    const run = id.startsWith("item_")
      ? await cancelItem(deps, id, principal, sessionId)
      : await cancel(deps, runOfHold(id) ?? id, principal, sessionId);
    const { state } = workOfRun(run);
    return { says: `${run.runId} is ${state}.`, value: { state, run: run.runId } };
  },
});
