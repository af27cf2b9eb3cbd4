/** Most bytes of text in one row: an item is at most 400 KB, its names and other fields included. */
export const CHUNK_MAX_BYTES = 350 * 1024;

/** A text in pieces of at most `maxBytes` UTF-8 bytes, none of which ends inside a character. */
export function splitText(text: string, maxBytes = CHUNK_MAX_BYTES): string[] {
  const bytes = Buffer.from(text, "utf8");
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + maxBytes, bytes.length);
    // Step back over continuation bytes (10xxxxxx) to the head of the character.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
    pieces.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return pieces.length > 0 ? pieces : [""];
}
