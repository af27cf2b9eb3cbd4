/** Shortest gap between two slots: the pass that looks for due slots runs every five minutes. */
const SHORTEST_GAP_MIN = 5;

const FIELDS = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12 },
  { min: 1, max: 7 },
  { min: 1970, max: 2199 },
] as const;
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** What is wrong with `cron(…)` (six fields, as EventBridge has them) or `rate(…)`; null when nothing is. */
export function scheduleFault(expression: string): "form" | "too fine" | null {
  const rate = /^rate\((\d{1,5}) (minutes?|hours?|days?)\)$/.exec(expression);
  if (rate) {
    const count = Number(rate[1]);
    if (count < 1) return "form";
    return rate[2]?.startsWith("minute") && count < SHORTEST_GAP_MIN ? "too fine" : null;
  }
  const cron = /^cron\(([^()]{1,200})\)$/.exec(expression);
  const fields = cron?.[1]?.trim().split(/\s+/) ?? [];
  if (fields.length !== FIELDS.length) return "form";
  if ((fields[2] === "?") === (fields[4] === "?")) return "form";
  for (const [index, text] of fields.entries()) if (!isField(text, index)) return "form";
  return shortestGap(fields[0] ?? "") < SHORTEST_GAP_MIN ? "too fine" : null;
}

/** Whether a name is a time zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z0-9_+-]+(?:\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

function isField(text: string, index: number): boolean {
  if (text === "?") return index === 2 || index === 4;
  return text.split(",").every((part) => isPart(part, index));
}

function isPart(part: string, index: number): boolean {
  if (index === 2 && /^(?:L|LW|\d{1,2}W)$/.test(part)) return true;
  if (index === 4 && /^(?:L|[1-7]L|[1-7]#[1-5])$/.test(part)) return true;
  const match = /^(\*|[A-Za-z0-9]+)(?:-([A-Za-z0-9]+))?(?:\/(\d{1,4}))?$/.exec(part);
  if (!match) return false;
  const [, from = "", to, step] = match;
  if (step !== undefined && Number(step) < 1) return false;
  if (from === "*") return to === undefined;
  const low = numberOf(from, index);
  const high = to === undefined ? low : numberOf(to, index);
  return low !== undefined && high !== undefined && low <= high;
}

function numberOf(text: string, index: number): number | undefined {
  const names = index === 3 ? MONTHS : index === 4 ? DAYS : [];
  const named = names.indexOf(text.toUpperCase());
  if (named !== -1) return named + 1;
  const range = FIELDS[index];
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return range && number >= range.min && number <= range.max ? number : undefined;
}

/** The shortest gap in minutes that the minute field leaves, over the turn of the hour too. */
function shortestGap(field: string): number {
  const minutes = new Set<number>();
  for (const part of field.split(",")) {
    const [span = "", step] = part.split("/");
    const [from = "", to] = span.split("-");
    const start = from === "*" ? 0 : Number(from);
    const end = to !== undefined ? Number(to) : from === "*" || step !== undefined ? 59 : start;
    for (let minute = start; minute <= end; minute += Number(step ?? 1)) minutes.add(minute);
  }
  const sorted = [...minutes].sort((a, b) => a - b);
  const first = sorted[0] ?? 0;
  return Math.min(...sorted.map((minute, index) => (sorted[index + 1] ?? first + 60) - minute));
}
