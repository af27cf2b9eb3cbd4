import { filled, finite, idleMinutesOf, keptUnder, list, record } from "./reading.ts";

export type PlanClass = "close" | "stuck" | "judge" | "keep";

export type PlanReasonCode =
  | "busy"
  | "awaitingInput"
  | "awaitingPermission"
  | "archived"
  | "pinned"
  | "childrenBusy"
  | "parentRunning"
  | "callerSession"
  | "stuckStarting"
  | "starting"
  | "idle-below"
  | "idle-reached"
  | "worktreeMerged"
  | "parentEnded"
  | "pendingToolCall"
  | "keepAlive-downgrade"
  | "zero-tokens-never-ran"
  | "ownsWork";

export type PlanReason = {
  code: PlanReasonCode;
  /** Minutes, rounded, and the run's threshold. */
  idle?: number;
  threshold?: number;
  /** What work it is. */
  kind?: string;
};

/** What is seen of a live session beside its row. */
export type Signals = {
  worktreeMerged?: boolean | undefined;
  worktreePrOpen?: boolean | undefined;
  parentEnded?: boolean | undefined;
  pendingToolCall?: boolean | undefined;
  stuckStarting?: boolean | undefined;
  lastAssistantTail?: string | undefined;
};

export type PlanEntry = {
  sessionId: string;
  label?: string;
  idleMinutes: number;
  rssBytes?: number;
  origin?: string;
  /** Of the credential that opened it. */
  originClass?: string;
  parentSessionId?: string;
  class: PlanClass;
  reasons: PlanReason[];
  signals: Signals;
};

export type PlanRequest = {
  sessions: readonly unknown[];
  nowMs: number;
  idleMinutes?: number;
  /** By session id. */
  signals?: unknown;
  callerSessionId?: string | null;
};

/** The threshold of a plan that names none; a steward's run passes its own. */
const PLAN_IDLE_MINUTES = 20;

const isLive = (session: unknown): boolean =>
  record(session).status === "running" || record(session).status === "starting";

/** What may become of every live agent session. `keep` is final, and only `close` and `stuck` need no judge. */
export function planSessionWrapup(request: PlanRequest): PlanEntry[] {
  const { sessions, nowMs, idleMinutes = PLAN_IDLE_MINUTES, callerSessionId } = request;
  const live = new Set(list(sessions).flatMap((one) => (isLive(one) ? [record(one).id] : [])));
  return list(sessions).flatMap((session) => {
    const row = record(session);
    const sessionId = filled(row.id);
    if (sessionId === undefined || row.kind !== "agent-cli" || !isLive(row)) return [];
    const signals = record(keptUnder(request.signals, sessionId)) as Signals;
    const idle = idleMinutesOf(row, nowMs);
    const parentRunning = filled(row.parentSessionId) !== undefined && live.has(row.parentSessionId);
    const kept =
      keepReason(row, parentRunning) ?? (sessionId === callerSessionId ? "callerSession" : undefined);
    return [
      {
        sessionId,
        ...copiedFrom(row),
        idleMinutes: Math.round(idle),
        ...(kept ? keep({ code: kept }) : byIdleness(row, signals, idle, idleMinutes)),
        signals,
      },
    ];
  });
}

type Classed = { class: PlanClass; reasons: PlanReason[] };

const keep = (reason: PlanReason): Classed => ({ class: "keep", reasons: [reason] });

/** The first that holds; the order is the reference's. */
function keepReason(row: Record<string, unknown>, parentRunning: boolean): PlanReasonCode | undefined {
  if (row.busy === true) return "busy";
  if (row.awaitingInput === true) return "awaitingInput";
  if (row.awaitingPermission === true) return "awaitingPermission";
  if (row.archived === true) return "archived";
  if (row.pinned === true) return "pinned";
  if ((finite(row.childrenBusy) ?? 0) > 0) return "childrenBusy";
  return parentRunning ? "parentRunning" : undefined;
}

function byIdleness(
  row: Record<string, unknown>,
  signals: Signals,
  idle: number,
  threshold: number,
): Classed {
  if (signals.stuckStarting) return unlessKeptAlive(row, "stuck", [{ code: "stuckStarting" }]);
  if (row.status !== "running") return keep({ code: "starting" });
  const shown = { idle: Math.round(idle), threshold };
  if (idle < threshold) return keep({ code: "idle-below", ...shown });
  const reasons: PlanReason[] = [{ code: "idle-reached", ...shown }];
  if (signals.worktreeMerged) reasons.push({ code: "worktreeMerged" });
  if (signals.parentEnded) reasons.push({ code: "parentEnded" });
  if (signals.pendingToolCall) reasons.push({ code: "pendingToolCall" });
  const over = (signals.worktreeMerged || signals.parentEnded) && !signals.pendingToolCall;
  return over ? unlessKeptAlive(row, "close", reasons) : { class: "judge", reasons };
}

/** One that is to be kept alive is never ended by a rule: a judge decides. */
const unlessKeptAlive = (
  row: Record<string, unknown>,
  planClass: PlanClass,
  reasons: PlanReason[],
): Classed =>
  row.keepAlive === true
    ? { class: "judge", reasons: [...reasons, { code: "keepAlive-downgrade" }] }
    : { class: planClass, reasons };

/** What an entry says of its session as the row does. */
function copiedFrom(row: Record<string, unknown>) {
  const label = filled(row.label);
  const rssBytes = finite(row.rssBytes);
  const origin = filled(row.origin);
  const originClass = filled(row.originClass);
  const parentSessionId = filled(row.parentSessionId);
  return {
    ...(label !== undefined && { label }),
    ...(rssBytes !== undefined && { rssBytes }),
    ...(origin !== undefined && { origin }),
    ...(originClass !== undefined && { originClass }),
    ...(parentSessionId !== undefined && { parentSessionId }),
  };
}
