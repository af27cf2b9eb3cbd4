import type { laneView } from "../queue/lane-view.ts";
import { span } from "./format.tsx";

/** Why the items of a lane wait; `stuck` when somebody has to do something. */
export function waitText(
  { waits, full, inFlight }: ReturnType<typeof laneView>,
  at: number,
): { text: string; stuck: boolean } {
  switch (waits?.reason) {
    case "compile_error":
      return { stuck: true, text: `Waits: the workflow does not compile. ${waits.message}` };
    case "draft":
      return {
        stuck: true,
        text: "Waits: the workflow is a draft. It begins once its Trigger says it is live.",
      };
    case "paused":
      return { stuck: true, text: "Waits: the workflow is paused." };
    case "workflow_missing":
      return { stuck: true, text: "Waits: the workflow’s memo is gone." };
    case "day_budget": {
      const left = waits.untilAt > at ? `in ${span(waits.untilAt - at)}` : "with the next round";
      return { stuck: false, text: `Waits: the day’s budget is used up. It goes on at 00:00 UTC, ${left}.` };
    }
    case undefined:
      return full || inFlight.length > 0
        ? { stuck: false, text: "Waits for a run of this workflow to end: only so many work at a time." }
        : { stuck: false, text: "The next round takes the oldest." };
  }
}
