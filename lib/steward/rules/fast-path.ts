import type { JudgeItem } from "./judge-queue.ts";
import { finite, list, record } from "./reading.ts";
import { lastAssistantText, remainingWork } from "./remaining-work.ts";
import type { VerdictRow } from "./verdicts.ts";
import { pullRequestOf } from "./relabel.ts";

export type FastPath = {
  done: boolean;
  code: "no-done-message" | "no-commit-or-pr" | "done+pr" | "done+commit";
};

/** Who says so, where a session's own word and its merged work are enough. */
export const FAST_PATH_JUDGE = "steward-fast-path";

/** True for a message to the parent that has the word done in it; of `not done` too. */
export function isDoneMessageParent(call: unknown): boolean {
  const { tool, kind, command, args } = record(call);
  if (String(tool).toLowerCase() !== "message_parent") return false;
  return [kind, command, ...list(args)].some((part) => typeof part === "string" && /\bdone\b/i.test(part));
}

/** True for a call that left a commit or a pull request. */
export function isCommitOrPrCall(call: unknown): boolean {
  const { tool, command, args, createdPrUrl, createdPrNumber } = record(call);
  if (typeof createdPrUrl === "string" && createdPrUrl !== "") return true;
  if (finite(createdPrNumber) !== undefined) return true;
  const words = [tool, command, ...list(args)].filter((part) => typeof part === "string").join(" ");
  return /\bgit\s+commit\b(?!-)|\bgh\s+pr\s+create\b|create_pull_request/i.test(words);
}

/** Whether a session told its parent that it is done, and has a pull request or a commit to show for it. */
export function detectFastPathDone(seen?: unknown): FastPath {
  const { toolCalls, lastToolCall, worktree, outcome } = record(seen);
  const calls = [...list(toolCalls), lastToolCall];
  if (!calls.some(isDoneMessageParent)) return { done: false, code: "no-done-message" };
  const merged = pullRequestOf({ worktree }).state === "merged";
  if (merged || list(record(outcome).pullRequests).length > 0) return { done: true, code: "done+pr" };
  const open = pullRequestOf({ worktree }).state === "open";
  if (open || calls.some(isCommitOrPrCall)) return { done: true, code: "done+commit" };
  return { done: false, code: "no-commit-or-pr" };
}

/**
 * The sessions of a queue that need no judge, as verdicts, and the others. Only where the last call of all is the
 * message, its work is merged, and nothing that is known of the session speaks against it.
 */
export function takeFastPath(queue: unknown): { decided: VerdictRow[]; rest: JudgeItem[] } {
  const items = list(queue) as readonly JudgeItem[];
  const isOver = ({ evidence }: JudgeItem) => saysItIsOver(evidence);
  return {
    decided: items.filter(isOver).map(({ entry, evidence }) => ({
      entry,
      evidence,
      verdict: "done",
      confidence: 1,
      reason: "told its parent that it is done, and its pull request is merged",
      source: "declared",
      judgedBy: FAST_PATH_JUDGE,
      fastPath: true,
    })),
    rest: items.filter((item) => !isOver(item)),
  };
}

function saysItIsOver(evidence: unknown): boolean {
  const seen = record(evidence);
  const { lastToolCall, worktree, turns, lastTurnErroredAt } = seen;
  if (seen.busy === true || seen.awaitingInput === true || seen.keepAlive === true) return false;
  if ((finite(seen.liveChildren) ?? 0) > 0 || record(seen.signals).pendingToolCall === true) return false;
  if (lastTurnErroredAt !== undefined && lastTurnErroredAt !== null) return false;
  // Of the window only the last call counts here, and of its work only what is merged.
  if (detectFastPathDone({ lastToolCall, worktree }).code !== "done+pr" || saysNotDone(lastToolCall))
    return false;
  return remainingWork({ lastAssistantText: lastAssistantText(turns) }).length === 0;
}

const saysNotDone = (call: unknown): boolean => {
  const { kind, command, args } = record(call);
  return /\b(?:not|n't|never|un)\W*done\b/i.test([kind, command, ...list(args)].map(String).join(" "));
};
