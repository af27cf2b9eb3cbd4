import { foldWhitespace, truncate } from "../core/text.ts";
import { parseQuery } from "./query.ts";
import { isStopWord, stemOf, wordsOf } from "./words.ts";

const SNIPPET_MAX_LENGTH = 200;
/** Text looked through for a snippet; the start of a memo mostly says enough. */
const LOOKED_AT = 50_000;

/** The line of a text that has most of the words asked for; its first line of prose when none has any. */
export function snippetOf(text: string, query: string): string {
  const wanted = new Set(
    wordsOf(parseQuery(query).words)
      .filter((word) => !isStopWord(word))
      .map(stemOf),
  );
  let best = { line: "", found: -1 };
  for (const line of text.slice(0, LOOKED_AT).split(/[\r\n]+/)) {
    if (line.trim() === "" || /^\s*(?:#|```|~~~|---)/.test(line)) continue;
    const found = new Set(
      wordsOf(line)
        .map(stemOf)
        .filter((stem) => wanted.has(stem)),
    ).size;
    if (found > best.found) best = { line, found };
  }
  return truncate(foldWhitespace(best.line), SNIPPET_MAX_LENGTH);
}
