import { foldWhitespace } from "../core/text.ts";
import type { Heartbeat } from "../sessions/heartbeat.ts";
import { lastWorkedAt, standingState } from "../sessions/progress.ts";
import type { ListedSession } from "../sessions/store.ts";

const TAIL_MAX = 600;

type PullRequest = { state: "open" | "merged" | "closed"; number?: number };

/** A session in the words of the rules: what they look at and nothing else. */
export function rowOf(session: ListedSession, childrenBusy = 0) {
  const { heartbeat } = session;
  const state = standingState(session, heartbeat);
  const pr = pullRequestOf(heartbeat);
  const opened = (heartbeat?.openedPrs ?? []).map((one) => ({ ...one, ...numberOf(one.url) }));
  return defined({
    id: session.sessionId,
    kind: "agent-cli",
    status: statusOf(session),
    label: session.name,
    origin: session.origin ?? undefined,
    /** Of the credential that opened it: what a person opened is never ended. */
    originClass: session.originClass,
    parentSessionId: session.parentSessionId ?? undefined,
    startedAt: isoOf(session.createdAt),
    lastActivityAt: isoOf(lastWorkedAt(session, heartbeat)),
    endedAt: session.status === "ended" ? isoOf(session.endedAt) : undefined,
    busy: state.busy,
    awaitingInput: state.awaitingInput,
    awaitingPermission: state.awaitingPermission,
    pendingBgTasks: state.pendingTasks,
    keepAlive: session.keepAlive,
    childrenBusy,
    provisioning: heartbeat?.provisioning,
    tokensIn: heartbeat?.tokensIn,
    tokensOut: heartbeat?.tokensOut,
    turnsCompleted: heartbeat?.turnsCompleted,
    rssBytes: heartbeat?.rssBytes,
    lastTurnErroredAt: heartbeat?.lastTurnErroredAt ? isoOf(heartbeat.lastTurnErroredAt) : undefined,
    lastTurnErrorMessage: heartbeat?.lastTurnError ?? undefined,
    openedPrs: opened.length > 0 ? opened : undefined,
    outcome: outcomeOf(session),
    wrapupFlag: session.wrapupFlag && { verdict: session.wrapupFlag.verdict },
    worktree: heartbeat?.worktree || pr ? { ...heartbeat?.worktree, pr: pr ?? null } : undefined,
    continuedFrom: session.continuedFrom,
    continuedTo: session.continuedTo,
  });
}
export type SessionRow = ReturnType<typeof rowOf>;

/** A session starts until its agent or a request has been heard of. */
function statusOf(session: ListedSession): "running" | "starting" | "killed" | "exited" {
  if (session.status === "ended") return session.verdict ? "killed" : "exited";
  return session.heartbeat || session.requestCount > 0 ? "running" : "starting";
}

/** What is on record of how it ended. */
export function outcomeOf(session: ListedSession) {
  if (session.status !== "ended") return undefined;
  const { verdict, outcome } = session;
  return defined({
    status: outcome === null ? "empty" : "produced",
    verdict: verdict?.verdict,
    summary: outcome ?? undefined,
  });
}

/** The pull request that stands for the work: of the worktree, else an open one of those it opened, else the newest. */
export function pullRequestOf(heartbeat: Heartbeat | null): PullRequest | undefined {
  if (heartbeat?.worktree?.pr) {
    const { state, number } = heartbeat.worktree.pr;
    return { state, ...(number !== undefined && { number }) };
  }
  const opened = heartbeat?.openedPrs ?? [];
  const chosen = opened.find(({ state }) => state === "open" || state === undefined) ?? opened.at(-1);
  return chosen?.state && { state: chosen.state, ...numberOf(chosen.url) };
}

const numberOf = (url: string): { number?: number } => {
  const found = /\/(?:pull|merge_requests)\/(\d{1,9})(?:\D|$)/.exec(url)?.[1];
  return found ? { number: Number(found) } : {};
};

/** The end of what the agent said last, in one line. */
export function lastAssistantTail(heartbeat: Heartbeat | null): string | undefined {
  const newest = heartbeat?.turns?.findLast(({ role }) => role === "assistant");
  const text = foldWhitespace(newest?.text ?? "");
  // Not in the middle of a pair.
  return text === "" ? undefined : text.slice(-TAIL_MAX).replace(/^[\uDC00-\uDFFF]/, "");
}

export const isoOf = (at: number): string => new Date(at).toISOString();

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without the members that are undefined: a row goes over JSON. */
export function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
}
