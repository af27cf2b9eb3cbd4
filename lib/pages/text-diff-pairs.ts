/** Below this share of words in common two lines are not the same line. */
const ALIKE = 0.4;

function bestPairs(old: readonly Bag[], now: readonly Bag[]): (readonly [number, number])[] {
  const like = old.map((a) => now.map((b) => likeness(a, b)));
  const score = Array.from({ length: old.length + 1 }, () => new Float64Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const both = like[i]![j]! >= ALIKE ? like[i]![j]! + score[i + 1]![j + 1]! : 0;
      score[i]![j] = Math.max(both, score[i + 1]![j]!, score[i]![j + 1]!);
    }
  }
  const best: (readonly [number, number])[] = [];
  for (let [i, j] = [0, 0]; i < old.length && j < now.length;) {
    const together = like[i]![j]! >= ALIKE && score[i]![j] === like[i]![j]! + score[i + 1]![j + 1]!;
    if (together) best.push([i++, j++]);
    else if (score[i]![j] === score[i + 1]![j]) i++;
    else j++;
  }
  return best;
}

type Bag = { words: ReadonlySet<string>; size: number };
function bagOf(line: string, longest: number): Bag {
  const words = new Set(line.length > longest ? [] : line.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return { words, size: words.size };
}
function likeness(a: Bag, b: Bag): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const word of a.words) if (b.words.has(word)) both++;
  return (2 * both) / (a.size + b.size);
}

/** Which old line became which new one, in their order: as like as they can be, by the words they share. */
export const likestPairs = (
  old: readonly string[],
  now: readonly string[],
  longest: number,
): (readonly [number, number])[] =>
  bestPairs(
    old.map((line) => bagOf(line, longest)),
    now.map((line) => bagOf(line, longest)),
  );
