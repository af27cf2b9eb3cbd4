import type { Heartbeat } from "../sessions/heartbeat.ts";
import type { Activity } from "../sessions/session.ts";
import { callSignature, readTargetOf } from "./rules/loop.ts";
import { defined, isoOf } from "./session-row.ts";

/** One call as the rules look at it. */
export type ToolRecord = {
  tool: string;
  command?: string;
  args?: readonly string[];
  /** Of a message to the parent. */
  kind?: string;
  ts?: string;
  isError?: boolean;
};

const TOP_MAX = 200;

/** What an agent told of its calls, oldest first. */
export function toldCalls(heartbeat: Heartbeat | null): ToolRecord[] {
  return (heartbeat?.toolCalls ?? []).map(({ tool, command, kind, at, isError }) =>
    defined({ tool, command, kind, ts: at === undefined ? undefined : isoOf(at), isError }),
  );
}

/** What a session's requests were, oldest first; heartbeats apart, which come by a timer. */
export function requestsAsCalls(newestFirst: readonly Activity[]): ToolRecord[] {
  return newestFirst
    .filter(({ route }) => !route.endsWith("/heartbeat"))
    .toReversed()
    .map(({ route, command, argsDigest, at, status }) =>
      defined({
        tool: route,
        command: command ?? undefined,
        args: [argsDigest],
        ts: isoOf(at),
        isError: status >= 400 || undefined,
      }),
    );
}

/** How much of it was repeated. */
export function toolStats(records: readonly ToolRecord[]) {
  if (records.length === 0) return undefined;
  const commands = countsOf(records.map(callSignature));
  const reads = countsOf(records.flatMap((record) => readTargetOf(record) ?? []));
  const [topCommand = "", topCommandCount = 0] = topOf(commands) ?? [];
  const distinct = commands.size;
  return {
    total: records.length,
    distinct,
    repeated: records.length - distinct,
    ratio: Math.round((distinct / records.length) * 100) / 100,
    topCommand: topCommand.slice(0, TOP_MAX).toWellFormed(),
    topCommandCount,
    distinctReads: reads.size,
    repeatedReads: topOf(reads)?.[1] ?? 0,
  };
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The first seen wins a tie. */
const topOf = (counts: ReadonlyMap<string, number>): [string, number] | undefined =>
  [...counts].reduce<[string, number] | undefined>(
    (top, one) => (top && top[1] >= one[1] ? top : one),
    undefined,
  );
