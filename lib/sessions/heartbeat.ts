import * as z from "zod";
import { MessageId } from "./mailbox.ts";
import { hasProgressed } from "./progress.ts";

const Count = z.int().min(0);
const AtMs = z.int().min(0);
/** More than any host has; the store takes no number of any size. */
const LOAD_MAX = 1e6;
const Words = (max: number) => z.string().max(max);

const reported = {
  busy: z.boolean().optional(),
  awaitingInput: z.boolean().optional(),
  /** A tool waits until somebody allows it. */
  awaitingPermission: z.boolean().optional(),
  /** The agent's place of work is still being made. */
  provisioning: z.boolean().optional(),
  /** What kind of agent it is, and where it works. */
  adapter: Words(60).optional(),
  cwd: Words(300).optional(),
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
        /** Of a message to the session's parent: what kind it was. */
        kind: Words(40).optional(),
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
  worktree: z
    .strictObject({
      branch: Words(200).optional(),
      dirty: z.boolean().optional(),
      changes: Count.optional(),
      ahead: Count.optional(),
      behind: Count.optional(),
      pr: z
        .strictObject({ state: z.enum(["open", "merged", "closed"]), number: Count.optional() })
        .nullable()
        .optional(),
    })
    .nullable()
    .optional(),
  host: z
    .strictObject({
      name: Words(100).optional(),
      cores: Count.optional(),
      load1: z.number().min(0).max(LOAD_MAX).optional(),
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
  /** When a report last told of work done; absent while none has. A report alone is no work. */
  progressAt: z.int().optional(),
  /** Counts the writes of the row; each is conditional on the one it read. */
  revision: z.int(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

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
  const merged = {
    ...(isLate ? { ...present(told), ...known } : { ...known, ...present(told) }),
    ...higher("tokensIn", known, told),
    ...higher("tokensOut", known, told),
    ...higher("turnsCompleted", known, told),
    ...roundedHost(isLate ? (known?.host ?? told.host) : (told.host ?? known?.host)),
    ...(newerError
      ? { lastTurnErroredAt: erredAt, lastTurnError: told.lastTurnError ?? null }
      : { lastTurnErroredAt: knownErredAt ?? null, lastTurnError: known?.lastTurnError ?? null }),
    reportedAt: Math.max(reportedAt, stored?.reportedAt ?? 0),
    receivedAt: Math.max(at, stored?.receivedAt ?? 0),
    revision: (stored?.revision ?? 0) + 1,
  };
  // The time of arrival: by an agent's slow clock the work of this minute would look like an hour ago.
  const progressAt = hasProgressed(stored, merged) ? at : stored?.progressAt;
  return { ...merged, ...(progressAt !== undefined && { progressAt }) };
}

type Told = Omit<HeartbeatReport, "at" | "received">;

/** To three places: the store takes no number below 1e-130, and nobody reads the rest. */
function roundedHost(host: Told["host"]): Pick<Told, "host"> {
  if (!host) return {};
  const rounded = (name: "load1" | "swapPercent") =>
    host[name] === undefined ? {} : { [name]: Math.round(host[name] * 1000) / 1000 };
  return { host: { ...host, ...rounded("load1"), ...rounded("swapPercent") } };
}
type Counter = "tokensIn" | "tokensOut" | "turnsCompleted";

function higher(name: Counter, known: Told | undefined, told: Told): Told {
  const values = [known?.[name], told[name]].filter((value) => value !== undefined);
  return values.length === 0 ? {} : { [name]: Math.max(...values) };
}

function valuesOf(heartbeat: Heartbeat): Told {
  const { reportedAt: _1, receivedAt: _2, revision: _3, progressAt: _4, ...values } = heartbeat;
  return values;
}

const present = (told: Told): Told =>
  Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
