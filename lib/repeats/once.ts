import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Ids } from "../core/ids.ts";
import { GIVEN_UP_AFTER_MS, KEPT_MS, type KeptAnswer } from "./repeat-record.ts";
import type { RepeatStore } from "./store.ts";

/** A request with a key of the caller's: `name` is of the owner, the route and that key, `requestHash` of all that was sent. */
export type KeyedRequest = { name: string; key: string; requestHash: string };

type Deps = {
  repeats: RepeatStore;
  clock: Clock;
  ids: Ids;
  onFailure?: (error: unknown) => void;
};

/**
 * Does a request once and answers it again as it was answered. A failed one is forgotten: sent again it is done.
 * A request whose container died in its midst may begin again after a while, so what it did may be done twice.
 * @throws {AppError} idempotency_key_reused, idempotency_key_in_progress
 */
export async function once<T>(
  deps: Deps,
  { name, key, requestHash }: KeyedRequest,
  work: { run(): Promise<T>; kept(answer: T): KeptAnswer },
): Promise<{ answer: T } | { repeated: KeptAnswer }> {
  const token = deps.ids("req");
  const startedAt = deps.clock.now();
  const record = { requestHash, token, startedAt, expiresAt: startedAt + KEPT_MS, answer: null };
  if (!(await deps.repeats.begin(name, record))) {
    const earlier = await deps.repeats.read(name);
    // A lost answer of our own put: it was we who began.
    if (earlier?.token !== token) {
      if (earlier && earlier.requestHash !== requestHash) {
        throw new AppError("idempotency_key_reused", "the key was sent with another request", { key });
      }
      if (earlier?.answer) return { repeated: earlier.answer };
      const since = startedAt - (earlier?.startedAt ?? startedAt);
      const retryAfterSec = Math.max(1, Math.ceil((GIVEN_UP_AFTER_MS - since) / 1000));
      throw new AppError("idempotency_key_in_progress", "the same request is being answered", {
        key,
        retryAfterSec: Math.min(retryAfterSec, 5),
      });
    }
  }
  return { answer: await doneOnRecord(deps, { name, token }, work) };
}

async function doneOnRecord<T>(
  deps: Deps,
  { name, token }: { name: string; token: string },
  work: { run(): Promise<T>; kept(answer: T): KeptAnswer },
): Promise<T> {
  let answer: T;
  try {
    answer = await work.run();
  } catch (error) {
    await told(deps, () => deps.repeats.forget(name, token));
    throw error;
  }
  await told(deps, () => deps.repeats.finish(name, token, work.kept(answer)));
  return answer;
}

/** What the request did stands, whether or not its row could be written. */
async function told(deps: Deps, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    deps.onFailure?.(error);
  }
}
