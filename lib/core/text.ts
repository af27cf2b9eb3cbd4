/** The first `max` code units of a text, never ending inside a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/** White space folded to single spaces, ends trimmed. */
export const foldWhitespace = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Longest word for which a nearest one is looked for. */
const MEANT_MAX_LENGTH = 100;

/** The candidate nearest to a word by edit distance, when near enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  // Nobody means a word of a hundred letters, and comparing many of them takes long.
  if (word.length > MEANT_MAX_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    if (Math.abs(word.length - candidate.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substitution));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
