import { HOUR_MS, MINUTE_MS } from "../core/duration.ts";
import type { RateStore } from "./store.ts";

/** The window of a limit: each minute of UTC counts for itself. */
const WINDOW_MS = MINUTE_MS;

/** One write of the shared count stands for this share of the limit. */
const SHARE = 20;

/** Null lets the request pass; otherwise how long until the next window. */
export type Limiter = (caller: string, at: number) => Promise<{ limit: number; retryAfterMs: number } | null>;

/** What this container knows of a caller in the window. */
type Counted = { unsettled: number; shared: number };

/**
 * Limits writes a minute and caller over all containers. A container counts for itself and adds to the shared row
 * every `ceil(limit / 20)` requests: a row costs a write unit for that many requests, and a caller that does less in
 * a minute costs none.
 *
 * With C containers at most `limit + C × (ceil(limit / 20) - 1)` requests of a window pass, exactly `limit` with one.
 * Whoever stays within the limit is never refused. When the row cannot be reached the requests pass.
 */
export function createLimiter(
  deps: { rates: Pick<RateStore, "add">; onFailure?: (error: unknown) => void },
  limit: number,
): Limiter {
  const settleEvery = Math.ceil(limit / SHARE);
  let window = -1;
  // Of one window only: it cannot grow for longer than a minute.
  let callers = new Map<string, Counted>();

  async function settle(caller: string, counted: Counted): Promise<void> {
    const count = counted.unsettled;
    counted.unsettled = 0;
    // Meanwhile it counts as settled, so that requests beside this one see it.
    counted.shared += count;
    try {
      const expiresAtSec = Math.ceil(((window + 1) * WINDOW_MS + HOUR_MS) / 1000);
      const sum = await deps.rates.add({ caller, window, count, expiresAtSec });
      counted.shared = Math.max(counted.shared, sum);
    } catch (error) {
      deps.onFailure?.(error);
    }
  }

  return async (caller, at) => {
    const now = Math.floor(at / WINDOW_MS);
    if (now !== window) {
      window = now;
      callers = new Map();
    }
    const counted = callers.get(caller) ?? { unsettled: 0, shared: 0 };
    callers.set(caller, counted);
    const refusal = { limit, retryAfterMs: (now + 1) * WINDOW_MS - at };
    if (counted.shared + counted.unsettled >= limit) return refusal;
    counted.unsettled += 1;
    if (counted.unsettled < settleEvery) return null;
    await settle(caller, counted);
    return counted.shared > limit ? refusal : null;
  };
}
