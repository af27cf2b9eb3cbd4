import { filled, finite, list, millis, record } from "./reading.ts";
import { lastAssistantText, pendingWorkReason } from "./remaining-work.ts";

export type RelabelVerdict = "done" | "abandoned" | "unknown" | "needs-follow-up";

/** An ended session without a verdict, and the one that is proposed. */
export type RelabelRow = {
  sessionId: string;
  label?: string;
  origin?: string;
  originClass?: string;
  proposedVerdict: RelabelVerdict;
  code: string;
  /** Numbers of the pull requests that the session itself recorded. */
  prs: number[];
};

/** The statuses of a session that has ended, as they are written. */
export const TERMINAL: ReadonlySet<unknown> = new Set([
  "killed",
  "exited",
  "error",
  "stopped",
  "completed",
  "failed",
]);

/** How long an end without a verdict is worth a line. */
const RELABEL_WINDOW_HOURS = 24;
const HOUR_MS = 60 * 60 * 1000;

/** Epoch ms of a session's end where it is within the window; undefined where it is older or cannot be read. */
export function inRelabelWindow(session: unknown, nowMs: number, hours?: unknown): number | undefined {
  const { endedAt, lastActivityAt, startedAt } = record(session);
  const ended = millis(endedAt ?? lastActivityAt ?? startedAt);
  const window = (finite(hours) ?? RELABEL_WINDOW_HOURS) * HOUR_MS;
  return ended !== undefined && nowMs - ended <= window ? ended : undefined;
}

export type RelabelCandidate =
  | { candidate: false; code: "not-terminal" | "outcome-recorded" | "already-flagged" }
  | { candidate: true; proposedVerdict: "done" | "unknown"; code: string; prs: number[] };

/**
 * Whether an ended session wants a verdict. `done` only where the pull request that its worktree has merged is one
 * that it recorded itself; no pull request is no sign of anything.
 */
export function terminalRelabelCandidate(session: unknown): RelabelCandidate {
  const row = record(session);
  if (!TERMINAL.has(row.status)) return { candidate: false, code: "not-terminal" };
  const { verdict } = record(row.outcome);
  if (verdict !== undefined && verdict !== null) return { candidate: false, code: "outcome-recorded" };
  if (row.wrapupFlag) return { candidate: false, code: "already-flagged" };
  const prs = ownPullRequests(row);
  const { state, number } = pullRequestOf(row);
  if (state === "merged" && number !== undefined && prs.includes(number)) {
    return { candidate: true, proposedVerdict: "done", code: "own-pr-merged", prs };
  }
  const code = prs.length > 0 ? "prs-recorded-state-unknown" : "no-pr";
  return { candidate: true, proposedVerdict: "unknown", code, prs };
}

/** The proposal for an ended session from its own row; undefined where it wants none. */
export function relabelOf(
  session: unknown,
): Pick<RelabelRow, "proposedVerdict" | "code" | "prs"> | undefined {
  const found = terminalRelabelCandidate(session);
  if (!found.candidate) return undefined;
  const { proposedVerdict, code, prs } = found;
  const { worktree, turnsCompleted, turns, lastTurnErroredAt, lastTurnErrorMessage } = record(session);
  const lastTurnError = filled(lastTurnErrorMessage) ?? (millis(lastTurnErroredAt) && "the last turn failed");
  const refined = refineRelabel({ proposedVerdict, prs }, { worktree, turnsCompleted, turns, lastTurnError });
  return refined.code === "untouched" ? { proposedVerdict, code, prs } : { ...refined, prs };
}

/** A proposal made better by what is known of the session; `untouched` where that says nothing. */
export function refineRelabel(
  item: { proposedVerdict: string; prs?: readonly number[] },
  evidence: unknown,
): { proposedVerdict: RelabelVerdict; code: string } {
  const seen = record(evidence);
  const proposedVerdict = item.proposedVerdict as RelabelVerdict;
  const untouched = { proposedVerdict, code: "untouched" };
  if (evidence === undefined || evidence === null) return untouched;
  const { state, number } = pullRequestOf(seen);
  const own = number !== undefined && (item.prs ?? []).includes(number);
  if (own && state === "open") return { proposedVerdict: "needs-follow-up", code: "own-pr-open" };
  const done = proposedVerdict === "done" || (own && state === "merged");
  if (done && pendingWorkReason(lastAssistantText(seen.turns)) !== null) {
    return { proposedVerdict: "needs-follow-up", code: "pending-text" };
  }
  if (proposedVerdict === "done") return untouched;
  if (done) return { proposedVerdict: "done", code: "own-pr-merged" };
  if (filled(seen.lastTurnError)) return { proposedVerdict: "abandoned", code: "last-turn-errored" };
  if (seen.turnsCompleted === 0) return { proposedVerdict: "abandoned", code: "never-completed-a-turn" };
  if (state === "merged" && number !== undefined) {
    return { proposedVerdict, code: "shared-worktree-merged" };
  }
  const opened = finite(record(seen.pullRequests).opened) ?? 0;
  return opened > 0 ? { proposedVerdict, code: "opened-state-unknown" } : untouched;
}

/** The ended sessions that want a verdict, in the order of the scan: the newest end first. */
export const buildRelabelQueue = (scan: unknown): RelabelRow[] => [
  ...(list(record(scan).terminalRelabel) as readonly RelabelRow[]),
];

/** The state and number of a worktree's pull request, however the state is written. */
export function pullRequestOf(session: unknown): { state: string | undefined; number: number | undefined } {
  const { state, number } = record(record(record(session).worktree).pr);
  const whole = finite(number);
  return {
    state: filled(state)?.toLowerCase(),
    number: whole !== undefined && Number.isInteger(whole) ? whole : undefined,
  };
}

/** Numbers of the pull requests that a session recorded as its own, in order. */
function ownPullRequests(row: Record<string, unknown>): number[] {
  const { artifacts, pullRequests } = record(row.outcome);
  const told = [...list(row.openedPrs), ...list(pullRequests)].map((one) => record(one).number);
  const linked = list(artifacts)
    .map(record)
    .filter(({ type }) => type === "pr");
  const numbers = [...told, ...linked.map(({ ref, title }) => numberIn(ref) ?? numberIn(title))];
  const whole = numbers.filter((one): one is number => Number.isSafeInteger(one) && Number(one) > 0);
  return [...new Set(whole)].sort((a, b) => a - b);
}

/** Of an address of a pull request, or of a title that names one. */
function numberIn(text: unknown): number | undefined {
  const found = /\/pull\/(\d{1,9})(?!\d)|^#(\d{1,9})(?!\d)/.exec(filled(text) ?? "");
  return found ? Number(found[1] ?? found[2]) : undefined;
}
