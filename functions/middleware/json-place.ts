/**
 * Where a text that JSON.parse refuses stops being JSON, as `line 1, column 6`. The engine's own message names a
 * position only for some faults and quotes the text for others.
 */
export function placeOfJsonError(text: string): string {
  // The longest prefix that could still go on is found by halving: about 20 parses, once per refused body.
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (couldGoOn(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  const before = text.slice(0, low).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Whether some continuation of this prefix might be JSON: nothing is wrong before its end. */
function couldGoOn(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const position = /at position (\d+)/.exec(message)?.[1];
    return /end of JSON input/.test(message) || (position !== undefined && Number(position) >= prefix.length);
  }
}
