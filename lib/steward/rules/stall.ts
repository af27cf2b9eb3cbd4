import { finite, minutesSince } from "./reading.ts";

export type Stall = { stalled: boolean; kind: "busy" | "error" | null; minutes: number | null };

/** A busy session without activity for longer is stalled. */
const BUSY_STALL_MINUTES = 20;
/** An error of the last turn that is older is history. */
const ERROR_STALL_MINUTES = 30;

/** Whether a session stands still: busy without activity, or quiet after a turn that just failed. */
export function detectStall(seen: {
  busy?: unknown;
  idleMinutes?: unknown;
  lastTurnErroredAt?: unknown;
  nowMs?: number;
  busyStallMinutes?: number;
  errorStallMinutes?: number;
}): Stall {
  const { busy, nowMs = 0, busyStallMinutes, errorStallMinutes } = seen;
  const idle = finite(seen.idleMinutes) ?? 0;
  if (busy === true) {
    const stalled = idle > (busyStallMinutes ?? BUSY_STALL_MINUTES);
    return stalled ? { stalled, kind: "busy", minutes: Math.round(idle) } : AWAKE;
  }
  const ago = minutesSince(seen.lastTurnErroredAt, nowMs);
  const failed = ago !== undefined && ago >= 0 && ago <= (errorStallMinutes ?? ERROR_STALL_MINUTES);
  return failed ? { stalled: true, kind: "error", minutes: Math.round(ago) } : AWAKE;
}

const AWAKE: Stall = { stalled: false, kind: null, minutes: null };
