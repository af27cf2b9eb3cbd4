import { foldWhitespace } from "../../core/text.ts";
import { filled, list, millis, record } from "./reading.ts";

/** How far back calls are looked at, and how far a clock of an agent may be ahead. */
const WINDOW_MS = 10 * 60 * 1000;
const AHEAD_MS = 1000;

/** So often one call word for word, or one file read, is a loop. */
const VERBATIM_MIN = 3;
const REREAD_MIN = 4;

/** Fewer distinct calls than this share of all is a loop, where there are enough to say so. */
const RATIO_BELOW = 0.2;
const RATIO_MIN_CALLS = 8;

export type LoopSignal = "verbatim" | "ratio" | "reread";

export type LoopStats = {
  windowMs: number;
  total: number;
  distinct: number;
  ratio: number;
  maxVerbatim: number;
  maxReads: number;
  usefulExcluded: number;
  /** Calls of which nothing is told but the tool. */
  anonymousExcluded: number;
  topCommand: string | null;
  topCommandCount: number;
};

export type Loop = { looping: boolean; signals: LoopSignal[]; stats: LoopStats };

/** A call in one line; equal calls are equal texts, however their arguments are split. */
export function callSignature(call?: unknown): string {
  const { tool, command, args } = record(call);
  const told = [filled(tool) ?? "unknown", filled(command) ?? "", ...list(args).map(String)];
  return foldWhitespace(told.join(" "));
}

/** What is rightly done again and again: to watch, to test and build, to look how a pull request stands. */
const USEFUL =
  /\bwatch|\bgit\s+status\b|\b(?:pnpm|npm|yarn|npx|bun)\s+(?:run\s+)?(?:test|vitest|jest|mocha|check-types|typecheck|build|gate)\b|\b(?:vitest|jest|mocha)\b|\bgh\s+pr\s+(?:view|checks|status|list|watch)\b/i;

/** True for a call that is no sign of a loop however often it is made. */
export const isUsefulLoopCommand = (signature?: unknown): boolean =>
  typeof signature === "string" && USEFUL.test(signature);

const READ_VERB = /^(?:cat|head|tail|sed|less|more|bat|view|read|nl|awk)$/i;
const SEARCH_VERB = /^(?:rg|grep|ag|ack)$/i;
const WITH_EXTENSION = /\.[A-Za-z0-9]{1,8}$/;

/**
 * The file that a call reads, or null. Of a command the first part of a pipeline that begins with a reading verb
 * counts; of a search the pattern is skipped, and a folder is no file.
 */
export function readTargetOf(call?: unknown): string | null {
  const { tool, command, args } = record(call);
  const rest = list(args).map(String);
  const named = filled(tool) ?? "";
  const words = [filled(command) ?? "", ...rest].join(" ");
  // A reading tool's argument is a file, also one without an extension.
  if (READ_VERB.test(named)) {
    return firstPath(wordsOf(words), isPath) ?? firstPath(rest, () => true) ?? rest[0] ?? null;
  }
  for (const segment of words.split(/\|\|?|&&?|;|\n/)) {
    const [verb = "", ...following] = wordsOf(segment).filter((word, at) => at > 0 || !isAssignment(word));
    const found = READ_VERB.test(verb)
      ? firstPath(following, isPath)
      : SEARCH_VERB.test(verb)
        ? firstPath(following.filter((word) => !word.startsWith("-")).slice(1), isFile)
        : null;
    if (found !== null) return found;
  }
  return null;
}

const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*=/.test(word);
const isFile = (word: string): boolean => WITH_EXTENSION.test(word);
const isPath = (word: string): boolean => word.includes("/") || isFile(word);

const wordsOf = (text: string): string[] =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^['"]+|['"]+$/g, ""))
    .filter((word) => word !== "");

const firstPath = (words: readonly string[], accepts: (word: string) => boolean): string | null =>
  words.find((word) => !word.startsWith("-") && accepts(word)) ?? null;

/** Whether a session repeats itself, by its calls of the last minutes. */
export function detectLoop(
  records: unknown,
  of: { nowMs: number; windowMs?: number; verbatimMin?: number },
): Loop {
  const { nowMs, windowMs = WINDOW_MS, verbatimMin = VERBATIM_MIN } = of;
  const calls = list(records).filter((call) => {
    const at = millis(record(call).ts);
    return at !== undefined && nowMs - at <= windowMs && at - nowMs <= AHEAD_MS;
  });
  const told = calls.filter((call) => !isAnonymous(call));
  const counted = told.filter((call) => !isUsefulLoopCommand(callSignature(call)));
  const commands = countsOf(counted.map(callSignature));
  const reads = countsOf(counted.flatMap((call) => readTargetOf(call) ?? []));
  const [topCommand, topCommandCount] = topOf(commands) ?? [null, 0];
  const total = counted.length;
  const ratio = total === 0 ? 1 : commands.size / total;
  const maxReads = topOf(reads)?.[1] ?? 0;
  const signals: LoopSignal[] = [];
  if (topCommandCount >= verbatimMin) signals.push("verbatim");
  if (total >= RATIO_MIN_CALLS && ratio < RATIO_BELOW) signals.push("ratio");
  if (maxReads >= REREAD_MIN) signals.push("reread");
  return {
    looping: signals.length > 0,
    signals,
    stats: {
      windowMs,
      total,
      distinct: commands.size,
      ratio: Math.round(ratio * 100) / 100,
      maxVerbatim: topCommandCount,
      maxReads,
      usefulExcluded: told.length - counted.length,
      anonymousExcluded: calls.length - told.length,
      topCommand,
      topCommandCount,
    },
  };
}

/** Why a session is said to repeat itself, in words. */
export const loopReasons = ({ signals, stats }: Loop): string[] =>
  signals.map((signal) => {
    if (signal === "verbatim") return `the same call ${stats.maxVerbatim} times`;
    if (signal === "reread") return `one file read ${stats.maxReads} times`;
    return `${stats.distinct} different calls among ${stats.total}`;
  });

function isAnonymous(call: unknown): boolean {
  const { command, args } = record(call);
  return filled(command) === undefined && list(args).length === 0;
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
