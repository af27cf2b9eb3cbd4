import { cappedHead } from "./caps.ts";
import { evidenceFingerprint } from "./fingerprint.ts";
import { filled, finite, keptUnder, list, record } from "./reading.ts";
import { DEFAULT_STABLE_PASSES } from "./settings.ts";
import { settled } from "./settled.ts";

/** What earlier passes thought of a session, and how often in a row. */
export type Remembered = {
  verdict: unknown;
  confidence: number | null;
  fingerprint: string | null;
  streak: number;
  ts: string | null;
  judgedBy: string | null;
};

export type VerdictEvent = {
  kind: "note";
  by: "policy";
  stage: "session-steward";
  item: string | undefined;
  payload: {
    kind: "steward-verdict";
    sessionId: string | undefined;
    verdict: string | undefined;
    confidence: number | null;
    fingerprint: string | null;
    judgedBy?: string;
    note?: string;
  };
};

/** Of the ledger's entries. */
const NOTE_MAX = 1000;
const JUDGED_BY_MAX = 200;

/** What the ledger's notes come to, oldest first: the streak goes on while verdict and fingerprint stay the same. */
export function foldVerdictMemory(events: unknown): Map<string, Remembered> {
  const memory = new Map<string, Remembered>();
  for (const event of list(events)) {
    const { kind, ts, payload } = record(event);
    const said = record(payload);
    const sessionId = filled(said.sessionId);
    if (kind !== "note" || said.kind !== "steward-verdict" || sessionId === undefined) continue;
    const before = memory.get(sessionId);
    const goesOn =
      before !== undefined && before.verdict === said.verdict && before.fingerprint === said.fingerprint;
    memory.set(sessionId, {
      verdict: said.verdict,
      confidence: finite(said.confidence) ?? null,
      fingerprint: typeof said.fingerprint === "string" ? said.fingerprint : null,
      streak: goesOn ? before.streak + 1 : 1,
      ts: filled(ts) ?? null,
      judgedBy: filled(said.judgedBy) ?? null,
    });
  }
  return memory;
}

/** The memory that a pass has read; a read that failed is no memory. */
export function foldMemory(run: unknown): Map<string, Remembered> {
  const { memoryRead } = record(record(run).steps);
  return foldVerdictMemory(settled(memoryRead).ok.flatMap(({ value }) => eventsOf(value)));
}

/** Events come oldest first; items of a listing bear ids that sort by time, and may come in either order. */
function eventsOf(value: unknown): readonly unknown[] {
  const { events, items } = record(value);
  if (Array.isArray(events)) return events;
  return [...list(items)].sort((a, b) => byText(record(a).id, record(b).id));
}

const byText = (a: unknown, b: unknown): number => {
  if (typeof a !== "string" || typeof b !== "string" || a === b) return 0;
  return a < b ? -1 : 1;
};

/** Whether a judge is to look again, or the memory answers. Any verdict may be remembered, also `active`. */
export function shouldRejudge(
  memory: unknown,
  sessionId: string,
  fingerprint: unknown,
  of?: { stablePasses?: number },
): { rejudge: boolean; cached: Remembered | null } {
  const known = keptUnder(memory, sessionId);
  const stable = of?.stablePasses ?? DEFAULT_STABLE_PASSES;
  const same = known !== undefined && record(known).fingerprint === fingerprint;
  if (!same || (finite(record(known).streak) ?? 0) < stable) return { rejudge: true, cached: null };
  return { rejudge: false, cached: known as Remembered };
}

/** A verdict as the ledger keeps it. */
export function verdictMemoryEvent(said?: {
  sessionId?: string;
  verdict?: string;
  confidence?: unknown;
  fingerprint?: unknown;
  judgedBy?: unknown;
  note?: unknown;
}): VerdictEvent {
  const { sessionId, verdict, confidence, fingerprint } = said ?? {};
  const judgedBy = filled(said?.judgedBy);
  const note = filled(said?.note);
  return {
    kind: "note",
    by: "policy",
    stage: "session-steward",
    item: sessionId,
    payload: {
      kind: "steward-verdict",
      sessionId,
      verdict,
      confidence: finite(confidence) ?? null,
      fingerprint: typeof fingerprint === "string" ? fingerprint : null,
      ...(judgedBy !== undefined && { judgedBy: cappedHead(judgedBy, JUDGED_BY_MAX) }),
      ...(note !== undefined && { note: cappedHead(note, NOTE_MAX) }),
    },
  };
}

/** What a pass leaves in the memory of `appId`: every verdict but the malformed; nothing where memory is off. */
export function buildMemoryWriteQueue(
  verdicts: unknown,
  settings: unknown,
): { appId: string; event: VerdictEvent }[] {
  const appId = filled(record(settings).appId);
  if (appId === undefined) return [];
  return list(verdicts).flatMap((verdict) => {
    const row = record(verdict);
    const sessionId = filled(record(row.entry).sessionId);
    if (sessionId === undefined || row.malformed === true) return [];
    const event = verdictMemoryEvent({
      sessionId,
      verdict: String(row.verdict),
      confidence: row.confidence,
      fingerprint: row.evidence ? evidenceFingerprint(row.evidence) : null,
      judgedBy: filled(row.judgedBy) ?? row.source,
      note: row.reason,
    });
    return [{ appId, event }];
  });
}

export type OperatorDisagreement = {
  sessionId: string;
  judgeVerdict: unknown;
  judgeConfidence: number | null;
  operatorVerdict: string;
  fingerprint: string | null;
  at?: string;
};

/** That a person saw a session otherwise than the memory has it; null where they agree or nothing is known. */
export function operatorDisagreement(
  memory: unknown,
  sessionId: string,
  operatorVerdict: unknown,
  of?: { at?: string },
): OperatorDisagreement | null {
  const known = record(keptUnder(memory, sessionId));
  const said = filled(operatorVerdict);
  const judged = filled(known.verdict);
  if (said === undefined || judged === undefined || judged === said) return null;
  return {
    sessionId,
    judgeVerdict: judged,
    judgeConfidence: finite(known.confidence) ?? null,
    operatorVerdict: said,
    fingerprint: filled(known.fingerprint) ?? null,
    ...(of?.at !== undefined && { at: of.at }),
  };
}
