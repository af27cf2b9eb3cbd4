import type { LaneWait } from "../queue/lane.ts";
import type { Run } from "../runs/run.ts";
import type { Work } from "./subject.ts";

const WHY: Record<LaneWait["reason"], string> = {
  compile_error: "its workflow does not compile",
  draft: "its workflow is a draft",
  paused: "its workflow is paused",
  day_budget: "the day's budget is used up",
  workflow_missing: "its workflow is gone",
};

/** One plain instruction on what to do about a piece of work. */
export function nextOf({ state, run, itemId }: Work, why?: LaneWait["reason"] | null): string {
  const id = run?.runId ?? itemId;
  if (state === "queued") return `Call get_run with ${id} and wait_seconds 20.`;
  if (state === "waiting") {
    return `It waits since ${why ? WHY[why] : "its lane is not served"}. Tell the user; it starts by itself once that is mended.`;
  }
  if (state === "running") return `Call get_run with ${id} and wait_seconds 20.`;
  if (state === "held") {
    return "Held: a person decides on the steward's page, you cannot. Tell the user, and stop or look again in 60 s.";
  }
  return run ? endOf(run) : "Nothing is left to do.";
}

function endOf(run: Run): string {
  if (run.status === "done") {
    if ("landing" in run && run.landing) return `Landed. read_memo ${run.landing.memoId} shows it.`;
    return run.staged
      ? "Staged: nothing was written, as its workflow says."
      : "Done; nothing was to be written.";
  }
  const error = "error" in run ? run.error : undefined;
  if (run.status === "cancelled") return "Cancelled. Tell the user; do not start it again unasked.";
  const reason = error ? `${error.message}${error.hint ? ` ${error.hint}` : ""}` : "no reason is recorded";
  return `Failed: ${reason.slice(0, 600)} Tell the user once; to try again they may ask for a new key.`;
}
