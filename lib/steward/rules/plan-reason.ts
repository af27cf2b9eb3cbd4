import type { PlanReason, PlanReasonCode } from "./plan.ts";
import { record } from "./reading.ts";

const WORDS: Record<PlanReasonCode, string> = {
  busy: "busy",
  awaitingInput: "waits for input",
  awaitingPermission: "waits for a permission",
  archived: "archived",
  pinned: "pinned",
  childrenBusy: "a child of it is busy",
  parentRunning: "its parent still runs",
  callerSession: "it asked for this run",
  stuckStarting: "started and was never heard of",
  starting: "still starting",
  "idle-below": "active lately",
  "idle-reached": "idle",
  worktreeMerged: "its work is merged",
  parentEnded: "its parent has ended",
  pendingToolCall: "a call of it is pending",
  "keepAlive-downgrade": "to be kept alive, so a judge decides",
  "zero-tokens-never-ran": "never ran: not one token in or out",
  ownsWork: "has work under way here",
};

/** A reason of the plan in words; one that is in words already stays. */
export function reasonText(reason: unknown): string {
  if (typeof reason === "string") return reason;
  const { code, idle, threshold, kind } = record(reason) as Partial<PlanReason>;
  const words = (code && Object.hasOwn(WORDS, code) && WORDS[code]) || String(code ?? "");
  if (idle !== undefined && threshold !== undefined) return `${words}: ${idle} min of ${threshold}`;
  return kind === undefined ? words : `${words}: a ${kind}`;
}

/** All reasons in one line. */
export const reasonsText = (reasons: readonly unknown[]): string => reasons.map(reasonText).join("; ");
