import { MINUTE_MS } from "../core/duration.ts";
import type { Heartbeat } from "../sessions/heartbeat.ts";
import type { Session } from "../sessions/session.ts";
import { When } from "./format.tsx";
import type { Html } from "./shown.ts";

const FRESH_MS = 5 * MINUTE_MS;
const QUIET_MS = 30 * MINUTE_MS;

/** When a session last showed itself: by a request, or by a report of its agent. */
export const lastSignOf = ({ lastActiveAt, heartbeat }: Session & { heartbeat: Heartbeat | null }): number =>
  Math.max(lastActiveAt, heartbeat?.receivedAt ?? 0);

/** How lately somebody showed themselves: a mark, the word for it, and the time. */
export function Beat({ at, now }: { at: number; now: number }): Html {
  const age = now - at;
  const [mark, word] = age < FRESH_MS ? ["●", "active"] : age < QUIET_MS ? ["◐", "quiet"] : ["○", "silent"];
  return (
    <span class={`beat beat-${word}`}>
      <span aria-hidden="true">{mark}</span> {word}, <When at={at} now={now} />
    </span>
  );
}

/** What an agent says it is doing, in two words; null when it says nothing. */
export function doingOf(heartbeat: Heartbeat | null): string | null {
  if (heartbeat?.awaitingInput) return "awaits input";
  if (heartbeat?.busy) return "busy";
  return null;
}
