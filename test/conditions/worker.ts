import { parentPort } from "node:worker_threads";
import { tryWithout, type Verdict } from "./try-clause.ts";

const answer = (verdict: Verdict) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(verdict);

/** Tries the clauses it is sent, one after the other. */
parentPort?.on("message", ({ clause, seeds }: { clause: string; seeds: number }) => {
  void tryWithout(clause, seeds).then(answer);
});
