import type { Clock } from "../core/clock.ts";
import { digestOf } from "../core/ids.ts";
import { RunBell, WakeBell } from "../queue/doorbell.ts";
import { RECEIVE_MAX, type DeadLetter, type DeadLetterStore, type DoorbellQueue } from "./store.ts";

/** Long enough to answer, short enough that a redrive right after it finds them all again. */
const PEEK_SEC = 5;
/** A receive may answer fewer than there are. */
const PEEKS = 3;

/** How many doorbells were given up, and the ids of some; looking changes nothing but their count of deliveries. */
export async function listDeadLetters(
  deps: { deadLetters: DeadLetterStore; clock: Clock },
  queue: DoorbellQueue,
) {
  const { deadLetters, clock } = deps;
  const found = new Map<string, DeadLetter>();
  for (let peek = 0; peek < PEEKS && found.size < RECEIVE_MAX; peek++) {
    const letters = await deadLetters.receive(queue, RECEIVE_MAX - found.size, PEEK_SEC);
    if (letters.length === 0) break;
    for (const letter of letters) found.set(letter.messageId, letter);
  }
  const shown = [...found.values()];
  await deadLetters.giveBack(queue, shown);
  const at = clock.now();
  const count = Math.max(shown.length, await deadLetters.count(queue));
  return { queue, count, messages: shown.map((letter) => letterView(queue, letter, at)) };
}

/** Ids and counts; of what is no doorbell a digest, as the log of its consumer has it. */
function letterView(
  queue: DoorbellQueue,
  { messageId, body, receivedCount, sentAt }: DeadLetter,
  at: number,
) {
  const bell = bellOf(queue, body);
  return {
    messageId,
    runId: bell && "runId" in bell ? bell.runId : null,
    epoch: bell && "epoch" in bell ? bell.epoch : null,
    receivedCount,
    ageMs: Math.max(0, at - sentAt),
    ...(!bell && { unreadable: { bytes: Buffer.byteLength(body), digest: digestOf([body]) } }),
  };
}

function bellOf(queue: DoorbellQueue, body: string) {
  try {
    return (queue === "run" ? RunBell : WakeBell).safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
