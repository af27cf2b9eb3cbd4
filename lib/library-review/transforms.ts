import { DAY_MS } from "../core/duration.ts";
import type { Transform } from "../core/registered.ts";
import { foldWhitespace, truncate } from "../core/text.ts";
import type { NAMES } from "./names.ts";
import type { ListedNote } from "./note-tools.ts";

type Settings = { staleDays: number; maxNotes: number };
type Picked = { items: { memoId: string; title: string; days: number }[]; more: number };
type Line = { memoId: string; title: string; days: number; line: string };
type Collected = {
  results: (
    | { status: "fulfilled"; index: number; value: Line }
    | { status: "rejected"; index: number; item: Picked["items"][number]; error: string }
  )[];
};

const DEFAULTS: Settings = { staleDays: 90, maxNotes: 10 };
const MOST_NOTES = 50;
const LINE_MAX_LENGTH = 300;

/** The tag of its own reports: a review does not review reviews. */
const OWN_TAG = "library-review";

const count = (value: unknown, least: number, byDefault: number): number =>
  typeof value === "number" && Number.isFinite(value) && value >= least ? Math.floor(value) : byDefault;

function settingsOf({ staleDays, maxNotes }: Record<string, unknown>): Settings {
  return {
    staleDays: count(staleDays, 0, DEFAULTS.staleDays),
    maxNotes: Math.min(MOST_NOTES, count(maxNotes, 1, DEFAULTS.maxNotes)),
  };
}

/** Notes that nobody has changed for so long, the longest first. */
function pick(notes: readonly ListedNote[], { staleDays, maxNotes }: Settings, nowMs: number): Picked {
  const stale = notes
    .filter(({ tags }) => !tags.includes(OWN_TAG))
    .map(({ memoId, title, updatedAt }) => ({
      memoId,
      title,
      days: Math.floor((nowMs - updatedAt) / DAY_MS),
    }))
    .filter(({ days }) => days >= staleDays)
    .toSorted((a, b) => b.days - a.days || (a.memoId < b.memoId ? -1 : 1));
  return { items: stale.slice(0, maxNotes), more: Math.max(0, stale.length - maxNotes) };
}

function report(settings: Settings, { items, more }: Picked, { results }: Collected): string {
  const head = `# Library review\n\nNotes that have not been changed for ${settings.staleDays} days or more.\n`;
  if (items.length === 0) return `${head}\nThere are none.\n`;
  const lines = results.map((result) => {
    if (result.status === "rejected") {
      const { title, days } = result.item;
      return `- **${asText(title)}**, ${days} days: could not be read (${asText(result.error)})`;
    }
    const { title, days, line } = result.value;
    return `- **${asText(title)}**, ${days} days: ${asText(line)}`;
  });
  const rest = more > 0 ? `\n${more} more are as old and were not read this time.\n` : "";
  return `${head}\n${lines.join("\n")}\n${rest}`;
}

/** Somebody else's words in one line of Markdown, as words. */
const asText = (text: string): string => foldWhitespace(text).replace(/[\\`*_[\]<>|#!]/g, "\\$&");

/** What the file's transforms compute. */
export const TRANSFORMS: Record<(typeof NAMES.transforms)[number], Transform> = {
  review_settings: (input) => settingsOf(input as Record<string, unknown>),
  review_pick: (input, { nowMs }) => {
    const { notes, settings } = input as { notes: ListedNote[]; settings: Settings };
    return pick(notes, settings, nowMs);
  },
  review_line: (input): Line => {
    const { answer, ...note } = input as Omit<Line, "line"> & { answer: string };
    const line = truncate(foldWhitespace(answer), LINE_MAX_LENGTH);
    if (line === "") throw new Error("the model gave no line");
    return { ...note, line };
  },
  review_report: (input) => {
    const { settings, picked, lines } = input as { settings: Settings; picked: Picked; lines: Collected };
    return report(settings, picked, lines);
  },
};
