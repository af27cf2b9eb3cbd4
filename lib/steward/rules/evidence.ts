import { truncate } from "../../core/text.ts";
import { cappedTail, cappedValue, type Caps } from "./caps.ts";
import type { PlanEntry } from "./plan.ts";
import { reasonText } from "./plan-reason.ts";
import { filled, finite, keptUnder, list, record } from "./reading.ts";

export type Evidence = {
  sessionId: string;
  turns: unknown[];
  signals: {
    lastAssistantTail?: string;
    pendingToolCall: boolean;
    parentEnded: boolean;
    worktreeMerged: boolean;
  };
  [fact: string]: unknown;
};

/** Characters of a session's evidence as JSON: what a judge is shown of one candidate. */
export const EVIDENCE_MAX = 5000;

const TAIL_MAX = 800;
const SHORT_TAIL_MAX = 200;
/** The newest; as many as are gathered. */
const TURNS_MAX = 10;
const MEGABYTE = 1024 * 1024;

/** Of every part, always: no text that was told may be as long as all the rest. */
const LARGEST: Caps = { text: 1000, items: 40, depth: 8 };

/** Tried in turn until the evidence fits, when the turns are gone. */
const CAPS: readonly Caps[] = [
  { text: 300, items: 25, depth: 6 },
  { text: 100, items: 12, depth: 4 },
  { text: 40, items: 8, depth: 3 },
];

/** Facts of the session's row and of its agent that are taken over where they are there. */
const COPIED = [
  "status",
  "turnsCompleted",
  "liveChildren",
  "continuedFrom",
  "continuedTo",
  "tokensIn",
  "tokensOut",
  "lastTurnErroredAt",
  "lastTurnError",
  "outcome",
  "pullRequests",
  "toolStats",
  "lastToolCall",
  "minutesSinceUserMessage",
  "minutesSinceAgentMessage",
] as const;

/**
 * What a judge is shown of one session, never more than `EVIDENCE_MAX` characters of JSON: the oldest turns go
 * first, then the end of the last words, then the length of every text.
 */
export function composeEvidence(entry: PlanEntry, raw: unknown, memory?: unknown): Evidence {
  const evidence = cappedFacts(allEvidence(entry, record(raw), memory), LARGEST);
  while (!fits(evidence) && evidence.turns.length > 0) evidence.turns.shift();
  const tail = evidence.signals.lastAssistantTail;
  if (!fits(evidence) && tail !== undefined) {
    evidence.signals.lastAssistantTail = cappedTail(tail, SHORT_TAIL_MAX);
  }
  if (fits(evidence)) return evidence;
  for (const caps of CAPS) {
    const capped = cappedFacts(evidence, caps);
    if (fits(capped)) return capped;
  }
  return leastEvidence(evidence);
}

/** Every fact within the caps, and each still there. */
const cappedFacts = (evidence: Evidence, caps: Caps): Evidence => ({
  ...(Object.fromEntries(
    Object.entries(evidence).map(([name, fact]) => [name, cappedValue(fact, caps)]),
  ) as Evidence),
  sessionId: evidence.sessionId,
});

const fits = (evidence: Evidence): boolean => JSON.stringify(evidence).length <= EVIDENCE_MAX;

/** The id and what decides most, where everything else is too much. */
const leastEvidence = (evidence: Evidence): Evidence => ({
  sessionId: truncate(evidence.sessionId, 500),
  keepAlive: evidence.keepAlive,
  awaitingInput: evidence.awaitingInput,
  busy: evidence.busy,
  signals: { ...evidence.signals, lastAssistantTail: "" },
  turns: [],
});

function allEvidence(entry: PlanEntry, raw: Record<string, unknown>, memory: unknown): Evidence {
  const signals = record(entry.signals);
  const tail = filled(signals.lastAssistantTail);
  const size = finite(entry.rssBytes);
  const previous = previousVerdict(memory, entry.sessionId);
  return {
    sessionId: entry.sessionId,
    label: raw.label ?? entry.label,
    idleMinutes: entry.idleMinutes ?? raw.idleMinutes,
    keepAlive: raw.keepAlive === true,
    awaitingInput: raw.awaitingInput === true,
    busy: raw.busy === true,
    ...(size !== undefined && { rssMB: Math.round(size / MEGABYTE) }),
    planReasons: list(entry.reasons).map(reasonText),
    origin: raw.origin ?? entry.origin,
    parentSessionId: raw.parentSessionId ?? entry.parentSessionId,
    signals: {
      ...(tail !== undefined && { lastAssistantTail: cappedTail(tail, TAIL_MAX) }),
      pendingToolCall: signals.pendingToolCall === true,
      parentEnded: signals.parentEnded === true,
      worktreeMerged: signals.worktreeMerged === true,
    },
    worktree: raw.worktree ?? null,
    turns: list(raw.turns).slice(-TURNS_MAX),
    ...Object.fromEntries(COPIED.flatMap((fact) => (raw[fact] === undefined ? [] : [[fact, raw[fact]]]))),
    ...(previous && { previousVerdict: previous }),
  };
}

function previousVerdict(memory: unknown, sessionId: string) {
  const known = keptUnder(memory, sessionId);
  if (known === undefined || known === null) return undefined;
  const { verdict, confidence, streak, ts } = record(known);
  return { verdict, confidence: confidence ?? null, streak: finite(streak) ?? 1, ts: ts ?? null };
}
