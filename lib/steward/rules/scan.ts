import { isNeverRan } from "./never-ran.ts";
import { classifyOrigin, type OriginClass } from "./origin.ts";
import { filled, finite, idleMinutesOf, list, record } from "./reading.ts";
import { inRelabelWindow, relabelOf, TERMINAL, type RelabelRow } from "./relabel.ts";
import { DEFAULT_IDLE_MINUTES } from "./settings.ts";

export type ExclusionCode =
  | "caller-session"
  | "same-cron-job-as-caller"
  | "archived"
  | "pinned"
  | "pty"
  | "keepAlive"
  | "no-session";

type Named = { sessionId: string; label?: string; origin?: string; originClass: OriginClass };

/** A live session as the report and the rules look at it. */
export type ScanRow = Named & {
  parentSessionId?: string;
  idleMinutes: number;
  lastTurnErroredAt: unknown;
};

export type StallInput = {
  sessionId: string;
  originClass: OriginClass;
  busy: boolean;
  idleMinutes: number;
  lastTurnErroredAt: unknown;
};

export type Scan = {
  busy: ScanRow[];
  idle: ScanRow[];
  terminal: Named[];
  terminalRelabel: RelabelRow[];
  neverRan: ScanRow[];
  excluded: { sessionId: string; code: ExclusionCode }[];
  loopQueue: Pick<Named, "sessionId" | "originClass" | "label">[];
  stallInputs: StallInput[];
  counts: ScanCounts;
};

export type ScanCounts = Record<
  "live" | "busy" | "idle" | "terminal" | "terminalRelabel" | "neverRan" | "excluded",
  number
>;

/** Whether a session is the caller's own, or an older run of the caller's own cron job. */
export function isSelfExcluded(
  session: unknown,
  settings: unknown,
): { excluded: boolean; code: ExclusionCode | null } {
  if (session === undefined || session === null) return { excluded: true, code: "no-session" };
  const { id, origin } = record(session);
  const { callerSessionId, callerOrigin } = record(settings);
  const caller = filled(callerSessionId);
  if (caller !== undefined && id === caller) return { excluded: true, code: "caller-session" };
  // Another kind of origin is shared by sessions that have nothing to do with each other.
  const sameJob = filled(callerOrigin)?.startsWith("cron:") && origin === callerOrigin;
  return sameJob ? { excluded: true, code: "same-cron-job-as-caller" } : { excluded: false, code: null };
}

/** All sessions of a listing by what is to be looked at, the live ones counted. */
export function scanLive(listing: unknown, settings: unknown, nowMs: number): Scan {
  const rows = Array.isArray(listing) ? listing : list(record(listing).items);
  const lists = emptyLists();
  let live = 0;
  for (const row of rows) {
    const sessionId = filled(record(row).id);
    if (sessionId === undefined) continue;
    if (scanRow(lists, { row: record(row), sessionId, settings, nowMs }) === "live") live += 1;
  }
  // The newest ended first; what is as old keeps its place.
  const ended = lists.ended.sort((a, b) => b.at - a.at);
  const { busy, idle, terminal, neverRan, excluded, loopQueue, stallInputs } = lists;
  const terminalRelabel = ended.map(({ shown }) => shown);
  const sizes = { busy, idle, terminal, terminalRelabel, neverRan, excluded };
  const counts = Object.fromEntries(Object.entries(sizes).map(([name, rows]) => [name, rows.length]));
  return { ...sizes, loopQueue, stallInputs, counts: { live, ...counts } as ScanCounts };
}

type Lists = Omit<Scan, "counts" | "terminalRelabel"> & {
  ended: { at: number; shown: RelabelRow }[];
};

const emptyLists = (): Lists => ({
  busy: [],
  idle: [],
  terminal: [],
  ended: [],
  neverRan: [],
  excluded: [],
  loopQueue: [],
  stallInputs: [],
});

type Looked = { row: Record<string, unknown>; sessionId: string; settings: unknown; nowMs: number };

function scanRow(lists: Lists, { row, sessionId, settings, nowMs }: Looked): "live" | undefined {
  const exclude = (code: ExclusionCode) => void lists.excluded.push({ sessionId, code });
  const self = isSelfExcluded(row, settings);
  const code = self.code ?? (["archived", "pinned", "pty"] as const).find((mark) => row[mark] === true);
  if (code) return exclude(code);
  const named = namedOf(row, sessionId, settings);
  if (TERMINAL.has(row.status)) {
    lists.terminal.push(named);
    const at = inRelabelWindow(row, nowMs, record(settings).relabelWindowHours);
    const proposal = at === undefined ? undefined : relabelOf(row);
    if (at !== undefined && proposal) lists.ended.push({ at, shown: { ...named, ...proposal } });
    return undefined;
  }
  if (row.status !== "running" && row.status !== "starting") return undefined;
  if (row.keepAlive === true) exclude("keepAlive");
  else scanWorking(lists, { row, named, settings, nowMs });
  return "live";
}

function scanWorking(
  lists: Lists,
  { row, named, settings, nowMs }: Omit<Looked, "sessionId"> & { named: Named },
): void {
  const threshold = finite(record(settings).idleMinutes) ?? DEFAULT_IDLE_MINUTES;
  const idleMinutes = idleMinutesOf(row, nowMs);
  const lastTurnErroredAt = row.lastTurnErroredAt ?? null;
  const shown: ScanRow = { ...named, idleMinutes, lastTurnErroredAt };
  const busy = row.busy === true;
  const { sessionId, originClass, label } = named;
  const stall = { sessionId, originClass, busy, idleMinutes, lastTurnErroredAt };
  if (isNeverRan(row, { nowMs, idleMinutes: threshold })) {
    const parentSessionId = filled(row.parentSessionId);
    lists.neverRan.push({ ...shown, ...(parentSessionId !== undefined && { parentSessionId }) });
  }
  if (busy) {
    lists.busy.push(shown);
    lists.loopQueue.push({ sessionId, originClass, ...(label !== undefined && { label }) });
  } else if (idleMinutes >= threshold) lists.idle.push(shown);
  // One that is not busy can only stall by an error of its last turn.
  if (busy || lastTurnErroredAt !== null) lists.stallInputs.push(stall);
}

function namedOf(row: Record<string, unknown>, sessionId: string, settings: unknown): Named {
  const label = filled(row.label) ?? filled(row.name);
  const origin = filled(row.origin);
  return {
    sessionId,
    ...(origin !== undefined && { origin }),
    originClass: classifyOrigin(row, settings),
    ...(label !== undefined && { label }),
  };
}

/** What a pass found where nothing is to be done, in one line. */
export function explainZeroCandidates(counts?: unknown): string {
  const count = (name: keyof ScanCounts) => finite(record(counts)[name]) ?? 0;
  return (
    `Nothing to decide: ${count("live")} live (${count("busy")} busy, ${count("idle")} idle), ` +
    `${count("terminal")} ended (${count("terminalRelabel")} without a verdict), ` +
    `${count("excluded")} left out.`
  );
}

/** Whether nobody is idle, so that a pass has only the busy ones to look at. */
export function shouldFastPath(scan?: unknown): { fastPath: boolean; anyIdleCandidate: boolean } {
  const { busy, idle, terminalRelabel, neverRan } = record(scan);
  const anyIdleCandidate = [idle, terminalRelabel, neverRan].some((rows) => list(rows).length > 0);
  return { fastPath: list(busy).length > 0 && !anyIdleCandidate, anyIdleCandidate };
}
