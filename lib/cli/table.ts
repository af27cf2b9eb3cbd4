import { printable } from "../core/printable.ts";
import { truncate } from "../core/text.ts";

/** Rows with their columns under each other; of the last column what fits into the width. */
export function table(rows: readonly (readonly string[])[], width = Infinity): string[] {
  const cells = rows.map((row) => row.map((cell) => printable(cell).replaceAll(/\s+/g, " ")));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...cells.map((row) => row[at]?.length ?? 0)),
  );
  return cells.map((row) => {
    const line = row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ");
    return line.length > width ? `${truncate(line, width - 1)}…` : line;
  });
}

/** Local time for people. */
export function localTime(at: number | null | undefined): string {
  if (at === null || at === undefined) return "–";
  const day = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())} ${two(day.getHours())}:${two(day.getMinutes())}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** `3 d`, `12 m`: the largest unit that a time holds. */
export function shortTime(ms: number): string {
  const unit = UNITS.find(([, size]) => Math.abs(ms) >= size);
  return unit ? `${Math.floor(Math.abs(ms) / unit[1])} ${unit[0]}` : "0 s";
}

/** `1 m 20 s`: a length of time to the second, for what was waited. */
export function exactTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts.flatMap(([many, unit]) => (many > 0 ? [`${many} ${unit}`] : [])).join(" ") || "0 s";
}

export const count = (many: number, one: string, more = `${one}s`): string =>
  `${many} ${many === 1 ? one : more}`;
