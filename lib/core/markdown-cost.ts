/** Why a text is not parsed, as what it has too many of, and the offset at which it became too much. */
export type Refusal = { tooMany: Mark | "levels of lists and quotes" | "stars in a row"; at: number };

type Mark =
  | "lines"
  | "list items"
  | "quotes"
  | "lines that go on with a list or a quote"
  | "headings"
  | "fences"
  | "links"
  | "link definitions"
  | "stars and underscores"
  | "backticks"
  | "exclamation marks"
  | "angle brackets"
  | "backslashes and entities";

/**
 * What one mark costs the parser, by measure: `each` in microseconds, and `more` for each mark of its kind
 * before it that the parser still holds, since it looks through those again.
 */
const COST: Record<Mark, { each: number; more: number }> = {
  lines: { each: 13, more: 0.004 },
  "list items": { each: 80, more: 0.01 },
  quotes: { each: 55, more: 0.01 },
  "lines that go on with a list or a quote": { each: 8, more: 0.13 },
  headings: { each: 50, more: 0.002 },
  fences: { each: 32, more: 0.006 },
  links: { each: 5, more: 0.07 },
  "link definitions": { each: 200, more: 0.05 },
  "stars and underscores": { each: 8, more: 0.04 },
  backticks: { each: 11, more: 0.001 },
  "exclamation marks": { each: 2, more: 0 },
  "angle brackets": { each: 8, more: 0.01 },
  "backslashes and entities": { each: 15, more: 0.001 },
};
/** A bracket of a text that defines links, on top. */
const PER_DEFINED_LINK = 15;
const PER_CHARACTER = 0.25;
/** A character that the parser looks at in vain for the end of code, from each run of backticks that has none. */
const PER_LOOK_AHEAD = 0.03;
const PER_EMPTY_LINE = 11;
/** A line inside a fence or a comment, on top: the parser holds all of them until the end. */
const PER_HELD_LINE = 8;
/** The parser makes four columns of it. */
const PER_TAB = 5;
/** A list item inside another, for each item before it in the same list. */
const PER_NESTED_ITEM = 0.4;

// The cost of these grows faster than any sum of marks, and no memo comes near them.
const MAX_NESTING = 24;
const MAX_INDENT = 120;
const LONG_RUN = /[*_]{100}/g;

const CONTAINER = /([ \t]*)(?:(>)|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))/my;
const BLANK = /[ \t]*(?:\n|$)/y;
const HEADING = / {0,3}(?:#{1,6}[ \t]|(?:=+|-+)[ \t]*$)/my;
const FENCE = /[ \t]*(?:```|~~~|(?:[-*_][ \t]*){3,}$|<)/my;
const CODE_FENCE = /[ \t]*(?:```|~~~)/y;
const COMMENT = /[ \t]*<!--/y;
const COMMENT_END = /[^\n]*-->/y;
const DEFINITION = /[ \t>*+\-\d.)]*\[[^\n]{0,1000}\]:/y;
const HARD_BREAK = /(?: {2}|\\)$/;
const INLINE = /[*_]+|`+|[[\]]|[<!]|[\\&]|\t+/g;
const AFTER_BLANK_CLOSES_ALL = /(?![ \t-]|[+*][ \t\n]|\d{1,9}[.)][ \t\n])/y;

/** Whether and where parsing a text would cost more than a budget in microseconds. Linear in the text. */
export function refusalOf(source: string, budget: number): Refusal | null {
  LONG_RUN.lastIndex = 0;
  const run = LONG_RUN.exec(source);
  if (run) return { tooMany: "stars in a row", at: run.index };
  const counter = createCounter(source.includes("]:"));
  let afterBlank = false;
  let holds: RegExp | null = null;
  for (let start = 0; start <= source.length;) {
    const isBlank = isAt(BLANK, source, start);
    if (isBlank) counter.endBlock(PER_EMPTY_LINE, start);
    else if (afterBlank && isAt(AFTER_BLANK_CLOSES_ALL, source, start)) counter.endLists();
    afterBlank = isBlank;
    const newline = source.indexOf("\n", start);
    const end = newline === -1 ? source.length : newline;
    const depth = depthOf(source, start, counter);
    if (depth > MAX_NESTING) return { tooMany: "levels of lists and quotes", at: start };
    if (depth === 0 && !isBlank && counter.mayBeLazy(source[start] === " " && source[start + 1] === " "))
      counter.add("lines that go on with a list or a quote");
    if (!isBlank) counter.add("lines");
    countLine(source, start, end, counter);
    if (holds) counter.addCharacters(PER_HELD_LINE);
    holds = heldAfter(source, start, holds);
    if (end === source.length) counter.endCode(end);
    if (counter.total() > budget) return { tooMany: counter.dearest(), at: start };
    start = end + 1;
  }
  return null;
}

/** What ends the fence or the comment that is open after a line; null when none is. */
function heldAfter(source: string, start: number, holds: RegExp | null): RegExp | null {
  if (holds) return isAt(holds, source, start) ? null : holds;
  if (isAt(CODE_FENCE, source, start)) return CODE_FENCE;
  return isAt(COMMENT, source, start) && !isAt(COMMENT_END, source, start) ? COMMENT_END : null;
}

function isAt(pattern: RegExp, source: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(source);
}

/** Counts the bullets and quote marks that start a line; infinite with an indent that no list has. */
function depthOf(source: string, start: number, counter: Counter): number {
  CONTAINER.lastIndex = start;
  let depth = 0;
  for (let match = CONTAINER.exec(source); match; match = CONTAINER.exec(source)) {
    const [, indent = "", quote] = match;
    if (++depth > MAX_NESTING || indent.length > MAX_INDENT) return Number.POSITIVE_INFINITY;
    counter.add(quote ? "quotes" : "list items");
    if (!quote && (depth > 1 || indent.length > 1)) counter.addNestedItem();
  }
  return depth;
}

function countLine(source: string, start: number, end: number, counter: Counter): void {
  counter.addCharacters((end - start) * PER_CHARACTER);
  if (isAt(HEADING, source, start)) counter.add("headings");
  else if (isAt(FENCE, source, start)) counter.add("fences");
  else if (isAt(DEFINITION, source, start)) counter.add("link definitions");
  const line = source.slice(start, end);
  if (HARD_BREAK.test(line)) counter.add("backslashes and entities");
  for (const { 0: mark, index } of line.matchAll(INLINE)) {
    const first = mark[0];
    if (first === "*" || first === "_") {
      for (let length = mark.length; length > 0; length -= 2) counter.add("stars and underscores");
    }
    if (first === "\t") counter.addCharacters(mark.length * PER_TAB);
    else if (first === "`") counter.addBackticks(mark.length, start + index);
    else if (first === "!") counter.add("exclamation marks");
    else if (first === "[" || first === "]") counter.add("links");
    else if (first === "<") counter.add("angle brackets");
    else if (first === "\\" || first === "&") counter.add("backslashes and entities");
  }
}

const IN_LISTS: readonly Mark[] = ["list items", "quotes", "headings", "fences", "angle brackets"];
const EVERYWHERE: Mark = "link definitions";

type Counter = ReturnType<typeof createCounter>;

function createCounter(definesLinks: boolean) {
  const held = new Map<Mark, number>();
  const spent = new Map<Mark, number>();
  /** Where runs of backticks stand that have met none of their length yet. */
  const openCode = new Map<number, number>();
  let sum = 0;
  let nested = false;
  let open = false;
  const spend = (mark: Mark, cost: number): void => {
    spent.set(mark, (spent.get(mark) ?? 0) + cost);
    sum += cost;
  };
  const add = (mark: Mark): void => {
    const before = held.get(mark) ?? 0;
    held.set(mark, before + 1);
    if (mark === "list items" || mark === "quotes") open = true;
    const extra = mark === "links" && definesLinks ? PER_DEFINED_LINK : 0;
    spend(mark, COST[mark].each + before * COST[mark].more + extra);
  };
  const endCode = (at: number): void => {
    for (const from of openCode.values()) spend("backticks", (at - from) * PER_LOOK_AHEAD);
    openCode.clear();
  };
  return {
    add,
    addBackticks(length: number, at: number): void {
      add("backticks");
      const from = openCode.get(length);
      if (from === undefined) openCode.set(length, at);
      else {
        openCode.delete(length);
        spend("backticks", (at - from) * PER_LOOK_AHEAD);
      }
    },
    /** No code goes on beyond this place. */
    endCode,
    addNestedItem(): void {
      nested = true;
      spend("list items", (held.get("list items") ?? 0) * PER_NESTED_ITEM);
    },
    addCharacters(cost: number): void {
      sum += cost;
    },
    /** After an empty line the marks inside a paragraph are settled. */
    endBlock(cost: number, at: number): void {
      sum += cost;
      endCode(at);
      open = false;
      for (const mark of held.keys()) if (!IN_LISTS.includes(mark) && mark !== EVERYWHERE) held.delete(mark);
    },
    endLists(): void {
      nested = false;
      for (const mark of held.keys()) if (mark !== EVERYWHERE) held.delete(mark);
    },
    /** Whether a line without a mark may go on with a paragraph further in than it stands itself. */
    mayBeLazy: (indented: boolean): boolean => open && (held.has("quotes") || nested || !indented),
    total: () => sum,
    dearest: (): Mark => [...spent].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "lines",
  };
}
