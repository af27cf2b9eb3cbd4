/**
 * The text of one member of a JSON object, byte for byte as it stands in the source; undefined when the member
 * is absent. Parsing and writing again would change numbers, key order and escapes. `text` must be valid JSON;
 * of a member that stands twice the last one counts, as it does for JSON.parse.
 */
export function rawMember(text: string, key: string): string | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== "{") return undefined;
  let found: string | undefined;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    if (name === key) found = text.slice(valueStart, valueEnd);
    at = skipSpace(text, valueEnd);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return found;
}

/** The texts of a JSON list's elements, byte for byte; undefined when the value is no list. */
export function rawElements(text: string): string[] | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== "[") return undefined;
  const elements: string[] = [];
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== "]") {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return elements;
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
  return at;
}

/** The place after the closing quote of the string that starts here. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (depth === 0 && ",}] \t\r\n".includes(char)) return at;
    if (char === "{" || char === "[") depth++;
    if (char === "}" || char === "]") depth--;
    at++;
    if (depth === 0 && (char === "}" || char === "]")) return at;
  }
  return at;
}
