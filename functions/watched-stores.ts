import type { QueueStore } from "../lib/queue/store.ts";
import type { Run } from "../lib/runs/run.ts";
import type { RunStore } from "../lib/runs/store.ts";

/** What an invocation came across. */
export type Sightings = {
  failedRuns: number;
  oldestPendingAt?: number;
  oldestRunningAt?: number;
  oldestHoldAt?: number;
  /** The head as this invocation's last write left it. */
  head?: Run;
};

/** Notes what passes through the stores on its way: measuring asks them for nothing of its own. */
export function createWatch() {
  let seen: Sightings = { failedRuns: 0 };
  const older = (name: "oldestPendingAt" | "oldestRunningAt" | "oldestHoldAt", at: unknown): void => {
    if (typeof at === "number" && at < (seen[name] ?? Infinity)) seen[name] = at;
  };

  const runs = (store: RunStore): RunStore => ({
    ...store,
    async writeHead(runId, write) {
      const head = await store.writeHead(runId, write);
      if (!head) return head;
      seen.head = head;
      // The write that ends a run is made once, whoever repeats it.
      if (head.status === "failed") seen.failedRuns++;
      return head;
    },
    async readHeads(runIds) {
      const heads = await store.readHeads(runIds);
      for (const head of heads) {
        const isDecided = head.gate?.decision !== undefined;
        if (head.status === "suspended" && !isDecided) older("oldestHoldAt", head.gate.openedAt);
        // Since when it is in the index of what runs, which a list of heads carries along.
        else older("oldestRunningAt", (head as Run & { since?: unknown }).since);
      }
      return heads;
    },
  });

  const queue = (store: QueueStore): QueueStore => ({
    ...store,
    async pendingItems(lane, limit) {
      const items = await store.pendingItems(lane, limit);
      for (const item of items) older("oldestPendingAt", item.enqueuedAt);
      return items;
    },
  });

  return {
    /** The same deps, watched. */
    over: <D extends { runs: RunStore; queue: QueueStore }>(deps: D): D => ({
      ...deps,
      runs: runs(deps.runs),
      queue: queue(deps.queue),
    }),
    /** What was seen since the last time; begins anew. */
    take(): Sightings {
      const taken = seen;
      seen = { failedRuns: 0 };
      return taken;
    },
  };
}
export type Watch = ReturnType<typeof createWatch>;
