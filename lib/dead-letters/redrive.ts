import type { Clock } from "../core/clock.ts";
import { SECOND_MS } from "../core/duration.ts";
import { RECEIVE_MAX, type DeadLetter, type DeadLetterStore, type DoorbellQueue } from "./store.ts";

/** Most that one call sends again, whatever it is asked for. */
export const REDRIVE_MAX = 100;
export const REDRIVE_STANDARD = 10;

/** Longer than a call may take, so that it never receives the same one twice. */
const HIDDEN_SEC = 60;
/** The gateway ends a request after 30 s. */
const WORK_MS = 12 * SECOND_MS;

/**
 * Rings given-up doorbells again: each is received, sent to the queue it came from, and deleted, in this order, so
 * that a crash in between doubles one and loses none; a doubled doorbell is a ticket that is refused. Not
 * StartMessageMoveTask: the embedded engine does not have it, and a task moves everything, later and unbounded.
 */
export async function redriveDeadLetters(
  deps: { deadLetters: DeadLetterStore; clock: Clock },
  queue: DoorbellQueue,
  max = REDRIVE_STANDARD,
) {
  const { deadLetters, clock } = deps;
  const startedAt = clock.now();
  const kept: DeadLetter[] = [];
  const limit = Math.min(max, REDRIVE_MAX);
  let redriven = 0;
  while (redriven + kept.length < limit && clock.now() - startedAt < WORK_MS) {
    const ask = Math.min(RECEIVE_MAX, limit - redriven - kept.length);
    const letters = await deadLetters.receive(queue, ask, HIDDEN_SEC);
    if (letters.length === 0) break;
    for (const letter of letters) {
      if (await redrive(deadLetters, queue, letter)) redriven++;
      else kept.push(letter);
    }
  }
  await deadLetters.giveBack(queue, kept);
  return { queue, redriven, failed: kept.length, left: await deadLetters.count(queue) };
}

/** False when it could not be sent; it stays where it is. */
async function redrive(
  deadLetters: DeadLetterStore,
  queue: DoorbellQueue,
  letter: DeadLetter,
): Promise<boolean> {
  try {
    await deadLetters.sendBack(queue, letter);
  } catch {
    return false;
  }
  // Sent but not deleted it would be sent once more, which is the same as once: the answer need not say so.
  await deadLetters.remove(queue, letter).catch(() => undefined);
  return true;
}
