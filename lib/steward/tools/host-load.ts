import type { RegisteredTool } from "../../core/registered.ts";
import type { Heartbeat } from "../../sessions/heartbeat.ts";
import { defined } from "../session-row.ts";
import { liveSessionsOf } from "./live-sessions.ts";
import type { StewardPorts } from "./ports.ts";

/** An older report says nothing of the host as it is now. */
const FRESH_MS = 15 * 60 * 1000;
const MAX_HOSTS = 20;

type Host = NonNullable<Heartbeat["host"]>;

/** How loaded the hosts of the agents are, by their own reports, and how full the queues; for the report alone. */
export function hostLoadTool(ports: Pick<StewardPorts, "sessions" | "queuePressure">): RegisteredTool {
  return {
    name: "host_load",
    async call({ ownerUid, runStartedAt }) {
      const { items } = await liveSessionsOf(ports, ownerUid);
      const hosts = newestByName(
        items.flatMap(({ heartbeat }) => (heartbeat ? [heartbeat] : [])),
        runStartedAt,
      ).map(loadOf);
      const queues = (await ports.queuePressure?.(ownerUid)) ?? null;
      return { value: { ...worstOf(hosts), hosts: hosts.slice(0, MAX_HOSTS), queues } };
    },
  };
}

function newestByName(heartbeats: readonly Heartbeat[], nowMs: number): Host[] {
  const fresh = heartbeats
    .filter(({ host, receivedAt }) => host !== undefined && nowMs - receivedAt <= FRESH_MS)
    .toSorted((a, b) => a.receivedAt - b.receivedAt);
  return [...new Map(fresh.map(({ host }) => [host?.name ?? "", host as Host])).values()];
}

type Load = ReturnType<typeof loadOf>;

function loadOf({ name, cores, load1, memTotalBytes, memAvailableBytes, swapPercent }: Host) {
  return defined({
    name,
    loadPerCore: load1 !== undefined && cores ? load1 / cores : undefined,
    loadAvg: load1 === undefined ? undefined : [load1],
    swap: swapPercent === undefined ? undefined : { percent: swapPercent },
    memory:
      memTotalBytes === undefined || memAvailableBytes === undefined
        ? undefined
        : { totalBytes: memTotalBytes, availableBytes: memAvailableBytes },
  });
}

/** Of each measure the worst that any host reports. */
function worstOf(hosts: readonly Load[]) {
  const worst = (badness: (host: Load) => number | undefined): Load | undefined =>
    hosts
      .filter((host) => badness(host) !== undefined)
      .toSorted((a, b) => (badness(b) ?? 0) - (badness(a) ?? 0))[0];
  const loaded = worst(({ loadPerCore }) => loadPerCore);
  return defined({
    loadPerCore: loaded?.loadPerCore,
    loadAvg: loaded?.loadAvg,
    swap: worst(({ swap }) => swap?.percent)?.swap,
    memory: worst(({ memory }) => memory && -memory.availableBytes / Math.max(1, memory.totalBytes))?.memory,
  });
}
