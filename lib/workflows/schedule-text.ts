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
export function scheduleFault(expression: string): "form" | "too fine" | "never" | null {
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
  if (neverComes(fields)) return "never";
  return shortestGap(fields[0] ?? "") < SHORTEST_GAP_MIN ? "too fine" : null;
}

/** The year of this compiler: no schedule was written to fire before it. */
const FIRST_YEAR = 2026;
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether no date has the day, the month and the year of a schedule. */
function neverComes([, , days = "", months = "", , years = ""]: readonly string[]): boolean {
  const wantedYears = valuesOf(years, 5).filter((year) => year >= FIRST_YEAR);
  if (wantedYears.length === 0) return true;
  if (days === "?" || /[LW]/.test(days)) return false;
  return !valuesOf(months, 3).some((month) =>
    valuesOf(days, 2).some((day) => {
      const isLeapDay = month === 2 && day === 29;
      return day <= (MONTH_DAYS[month - 1] ?? 0) && (!isLeapDay || wantedYears.some((year) => isLeap(year)));
    }),
  );
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

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

/** The numbers that a field of `*`, ranges and steps stands for. */
function valuesOf(field: string, index: number): number[] {
  const values = new Set<number>();
  const { min, max } = FIELDS[index] ?? { min: 0, max: 0 };
  for (const part of field.split(",")) {
    const [span = "", step] = part.split("/");
    const [from = "", to] = span.split("-");
    const start = from === "*" ? min : (numberOf(from, index) ?? min);
    const end =
      to !== undefined ? (numberOf(to, index) ?? max) : from === "*" || step !== undefined ? max : start;
    for (let value = start; value <= end; value += Number(step ?? 1)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

/** The shortest gap in minutes that the minute field leaves, over the turn of the hour too. */
function shortestGap(field: string): number {
  const minutes = valuesOf(field, 0);
  const first = minutes[0] ?? 0;
  return Math.min(...minutes.map((minute, index) => (minutes[index + 1] ?? first + 60) - minute));
}
