import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/principal.ts";
import { ownSession } from "./create.ts";
import { readMailbox, MessageId, type Message } from "./mailbox.ts";
import type { SessionId } from "./session.ts";
import type { SessionStore } from "./store.ts";

const Count = z.int().min(0);
const AtMs = z.int().min(0);
const Words = (max: number) => z.string().max(max);

const reported = {
  busy: z.boolean().optional(),
  awaitingInput: z.boolean().optional(),
  tokensIn: Count.optional(),
  tokensOut: Count.optional(),
  turnsCompleted: Count.optional(),
  rssBytes: Count.optional(),
  lastTurnErroredAt: AtMs.nullable().optional(),
  lastTurnError: Words(500).nullable().optional(),
  pendingBackgroundTasks: Count.optional(),
  turns: z
    .array(z.strictObject({ role: z.enum(["user", "assistant"]), text: Words(3000), at: AtMs.optional() }))
    .max(10)
    .optional(),
  toolCalls: z
    .array(
      z.strictObject({
        tool: Words(100),
        command: Words(300).optional(),
        at: AtMs.optional(),
        isError: z.boolean().optional(),
      }),
    )
    .max(120)
    .optional(),
  openedPrs: z
    .array(z.strictObject({ url: Words(500), state: z.enum(["open", "merged", "closed"]).optional() }))
    .max(20)
    .optional(),
  host: z
    .strictObject({
      name: Words(100).optional(),
      cores: Count.optional(),
      load1: z.number().min(0).optional(),
      memTotalBytes: Count.optional(),
      memAvailableBytes: Count.optional(),
      swapPercent: z.number().min(0).max(100).optional(),
    })
    .optional(),
} as const;

/** What an agent tells about itself. What is absent stays as it was told before. */
export const HeartbeatReport = z.strictObject({
  ...reported,
  /** When this was so, by the agent's clock; now, when absent or in the future. */
  at: AtMs.optional(),
  /** Messages of an earlier answer that have arrived; they are not sent again. */
  received: z.array(MessageId).max(50).optional(),
});
export type HeartbeatReport = z.infer<typeof HeartbeatReport>;

/** The newest that is known of an agent by its own reports. */
export const Heartbeat = z.object({
  ...reported,
  /** The time that the newest report speaks of. */
  reportedAt: z.int(),
  /** When a report last arrived. */
  receivedAt: z.int(),
  /** Counts the writes of the row; each is conditional on the one it read. */
  revision: z.int(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/** Reports of one agent do not race each other for long; more than this means that the store is unwell. */
const MAX_TRIES = 5;

/**
 * Merges a report into what is known of the session's agent, and gives the messages that wait for it. A repeated
 * or a late report lowers nothing.
 * @throws {AppError} session_not_found, session_ended
 */
export async function reportHeartbeat(
  deps: { sessions: SessionStore; clock: Clock },
  input: { principal: Principal; sessionId: string; report: HeartbeatReport },
): Promise<{ sessionId: SessionId; heartbeat: Heartbeat; mailbox: Message[] }> {
  const session = await ownSession(deps, input.principal.ownerUid, input.sessionId);
  const { sessionId } = session;
  if (session.status === "ended") {
    const why = session.outcome ? `: ${session.outcome}` : "";
    throw new AppError("session_ended", `session ${sessionId} has ended, stop working in it${why}`, {
      sessionId,
    });
  }
  const at = deps.clock.now();
  const heartbeat = await writeHeartbeat(deps, sessionId, input.report, at);
  for (const messageId of input.report.received ?? []) await deps.sessions.dropMessage(sessionId, messageId);
  return { sessionId, heartbeat, mailbox: await readMailbox(deps, sessionId, at) };
}

async function writeHeartbeat(
  deps: { sessions: SessionStore },
  sessionId: SessionId,
  report: HeartbeatReport,
  at: number,
): Promise<Heartbeat> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await deps.sessions.readHeartbeat(sessionId);
    const merged = mergeHeartbeat(stored, report, at);
    if (await deps.sessions.putHeartbeat(sessionId, merged)) return merged;
  }
  throw new AppError("storage_unavailable", `the heartbeat of ${sessionId} met ${MAX_TRIES} others`, {
    operation: "put heartbeat",
    requestId: undefined,
  });
}

/** What is known after a report. Counters and times only rise; a late report changes nothing else. */
export function mergeHeartbeat(
  stored: Heartbeat | undefined,
  report: HeartbeatReport,
  at: number,
): Heartbeat {
  const { at: saidAt, received: _, ...told } = report;
  const reportedAt = Math.min(saidAt ?? at, at);
  const isLate = stored !== undefined && reportedAt < stored.reportedAt;
  const known = stored && valuesOf(stored);
  const erredAt = told.lastTurnErroredAt == null ? undefined : Math.min(told.lastTurnErroredAt, at);
  const knownErredAt = known?.lastTurnErroredAt ?? undefined;
  const newerError = erredAt !== undefined && (knownErredAt === undefined || erredAt >= knownErredAt);
  return {
    ...(isLate ? { ...present(told), ...known } : { ...known, ...present(told) }),
    ...higher("tokensIn", known, told),
    ...higher("tokensOut", known, told),
    ...higher("turnsCompleted", known, told),
    ...(newerError
      ? { lastTurnErroredAt: erredAt, lastTurnError: told.lastTurnError ?? null }
      : { lastTurnErroredAt: knownErredAt ?? null, lastTurnError: known?.lastTurnError ?? null }),
    reportedAt: Math.max(reportedAt, stored?.reportedAt ?? 0),
    receivedAt: Math.max(at, stored?.receivedAt ?? 0),
    revision: (stored?.revision ?? 0) + 1,
  };
}

type Told = Omit<HeartbeatReport, "at" | "received">;
type Counter = "tokensIn" | "tokensOut" | "turnsCompleted";

function higher(name: Counter, known: Told | undefined, told: Told): Told {
  const values = [known?.[name], told[name]].filter((value) => value !== undefined);
  return values.length === 0 ? {} : { [name]: Math.max(...values) };
}

function valuesOf(heartbeat: Heartbeat): Told {
  const { reportedAt: _reportedAt, receivedAt: _receivedAt, revision: _revision, ...values } = heartbeat;
  return values;
}

const present = (told: Told): Told =>
  Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
