import { finite, list, record } from "./reading.ts";

/** Strictly over these a host is said to be saturated; the reference's. */
const LOAD_PER_CORE_MAX = 4;
const SWAP_PERCENT_MAX = 50;
const FREE_RAM_MIN = 0.15;

/** A queue whose oldest item waits longer than a pass of its own takes. */
const QUEUE_AGE_MAX_MS = 15 * 60 * 1000;
/** Share of the concurrency that may be in use before others are turned away. */
const CONCURRENCY_MAX = 0.9;

/** How many processes of a kind are shown. */
const SHOWN = 5;

export type HostSignal = "load" | "swap" | "ram" | "queue-age" | "dead-letters" | "throttles" | "concurrency";

/** What the queue and the functions are under; told beside the host's load, and acted on by nobody. */
export type QueuePressure = {
  queueAgeMs?: number | null;
  deadLetters?: number | null;
  throttles?: number | null;
  concurrency?: { inUse: number; limit: number } | null;
};

export type HostSaturation = { critical: boolean; signals: HostSignal[]; reasons: string[] };

/** Whether a host, or the queue, has too much to do, and by what. */
export function hostSaturation(load?: unknown, pressure?: QueuePressure): HostSaturation {
  const found = [...hostSignals(record(load)), ...pressureSignals(record(pressure))];
  return {
    critical: found.length > 0,
    signals: found.map(([signal]) => signal),
    reasons: found.map(([, reason]) => reason),
  };
}

type Found = [HostSignal, string];

function hostSignals({ loadPerCore, swap, memory }: Record<string, unknown>): Found[] {
  const found: Found[] = [];
  const load = finite(loadPerCore);
  if (load !== undefined && load > LOAD_PER_CORE_MAX)
    found.push(["load", `load per core ${load.toFixed(2)}`]);
  const swapped = finite(record(swap).percent);
  if (swapped !== undefined && swapped > SWAP_PERCENT_MAX) {
    found.push(["swap", `swap ${Math.round(swapped)} % full`]);
  }
  const { totalBytes, availableBytes, freeBytes } = record(memory);
  const total = finite(totalBytes) ?? 0;
  const free = finite(availableBytes) ?? finite(freeBytes) ?? 0;
  if (total > 0 && free / total < FREE_RAM_MIN) {
    found.push(["ram", `${Math.round((free / total) * 100)} % of memory free`]);
  }
  return found;
}

function pressureSignals({
  queueAgeMs,
  deadLetters,
  throttles,
  concurrency,
}: Record<string, unknown>): Found[] {
  const found: Found[] = [];
  const age = finite(queueAgeMs) ?? 0;
  if (age > QUEUE_AGE_MAX_MS) found.push(["queue-age", `oldest item waits ${Math.round(age / 60_000)} min`]);
  const dead = finite(deadLetters) ?? 0;
  if (dead > 0) found.push(["dead-letters", `${dead} dead letters`]);
  const throttled = finite(throttles) ?? 0;
  if (throttled > 0) found.push(["throttles", `${throttled} calls throttled`]);
  const { inUse, limit } = record(concurrency);
  const used = finite(inUse) ?? 0;
  const most = finite(limit) ?? 0;
  if (most > 0 && used / most > CONCURRENCY_MAX) {
    found.push(["concurrency", `${used} of ${most} functions at once`]);
  }
  return found;
}

export type HostProcess = { pid: number; command: string; memoryBytes?: number; elapsedSec?: number };

export type SaturationHeader = {
  shown: boolean;
  reasons: string[];
  /** Processes whose owner is gone, and those of neither a session nor the steward's host. */
  orphans: HostProcess[];
  others: HostProcess[];
  warnings: string[];
};

/** What a report begins with where a host is saturated; nothing is shown where it is not. */
export function saturationHeader(load: unknown, pressure?: QueuePressure): SaturationHeader {
  const { critical, reasons } = hostSaturation(load, pressure);
  if (!critical) return { shown: false, reasons: [], orphans: [], others: [], warnings: [] };
  const { processes, topByMemory, warnings } = record(load);
  const known = list(processes ?? topByMemory).map(record);
  const ownedBy = (...kinds: string[]) =>
    known
      .filter(({ pid, owner }) => finite(pid) !== undefined && kinds.includes(String(record(owner).kind)))
      .slice(0, SHOWN) as unknown as HostProcess[];
  return {
    shown: true,
    reasons,
    orphans: ownedBy("orphan"),
    others: ownedBy("other", "system", "provisioning"),
    warnings: list(warnings)
      .map(record)
      .filter(({ severity }) => severity === "critical")
      .map(({ message }) => String(message)),
  };
}
