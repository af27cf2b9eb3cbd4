import { spanOf, type Span } from "../../core/markdown.ts";
import { isBlank, type Field, type Token } from "../field.ts";
import { isSchemaBlock } from "../schema-block.ts";
import { reportWords, type SectionContext } from "./section.ts";

/** What the reader of a field takes of it. Anything else that stands there is said, so that nothing is lost unseen. */
export type Takes = {
  /** So many values in backticks. */
  values: number;
  /** So many `[[memos]]`. */
  memos?: number;
  /** The words below the field's first line too. */
  words?: boolean;
  /** A `json schema` below it. */
  schema?: boolean;
};

const HINT = "Write it on the line of its field, or as a field of its own.";

/**
 * Reads a field and says what of it was not read. A reader that has found an error says enough: the workflow
 * does not run, and the rest may be part of the same mistake.
 */
export function readWhole<T>(field: Field, takes: Takes, context: SectionContext, read: () => T): T {
  const { report } = context;
  const before = report.errors();
  const result = read();
  if (report.errors() > before) return result;
  for (const node of field.unread) {
    if (takes.schema && node.type === "code" && isSchemaBlock(node)) continue;
    report.error("MW011", spanOf(node), `This part of "${field.key}" is not read`, { hint: HINT });
  }
  const surplus = surplusOf(field, takes);
  if (surplus) {
    const shown = surplus.kind === "ref" ? `[[${surplus.text}]]` : `\`${surplus.text}\``;
    report.error("MW011", surplus, `${shown} is not read in "${field.key}"`, { hint: HINT });
  }
  const words = takes.words ? undefined : wordsBelow(field, context.markdown.source);
  if (words) reportWords(words, context);
  return result;
}

function surplusOf({ tokens }: Field, { values, memos = 0 }: Takes): Token | undefined {
  const codes = tokens.filter(({ kind }) => kind === "code");
  const refs = tokens.filter(({ kind }) => kind === "ref");
  return [codes[values], refs[memos]].find((token) => token !== undefined);
}

/** From the first to the last of the blocks below a field's value that have words only. */
function wordsBelow({ tokens, value, blocks, keySpan }: Field, source: string): Span | undefined {
  const starts = tokens.filter(({ kind }) => kind !== "text").map(({ start }) => start);
  const isValue = isBlank(tokens.filter(({ start }) => start < value.end));
  const slid = slidLines(value, keySpan, source);
  let words: Span | undefined;
  let next = 0;
  for (const { start, end } of [...(slid ? [slid] : []), ...blocks.slice(isValue ? 1 : 0)]) {
    while ((starts[next] ?? end) < start) next += 1;
    if ((starts[next] ?? end) < end) continue;
    words = { start: words?.start ?? start, end };
  }
  return words;
}

/** From the first line of a value that is not indented as its key is: what follows a list without its indent. */
function slidLines(value: Span, key: Span, source: string): Span | undefined {
  const indent = key.start - (source.lastIndexOf("\n", key.start - 1) + 1);
  for (let end = source.indexOf("\n", value.start); end !== -1 && end < value.end;) {
    const next = source.indexOf("\n", end + 1);
    const line = source.slice(end + 1, next === -1 ? value.end : Math.min(next, value.end));
    const own = line.length - line.trimStart().length;
    if (own < line.length && own < indent) return { start: end + 1 + own, end: value.end };
    end = next;
  }
  return undefined;
}
