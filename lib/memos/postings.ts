/** How often a word must come for another occurrence to add little, and how much a long text is held back. */
const K1 = 1.2;
const B = 0.5;

/** Letters by which the vocabulary is cut into drawers for a search by the start of a word. */
const DRAWER_LETTERS = 3;

type Posting = { slots: number[]; counts: number[] };
export type Variant = { stem: string; weight: number };

/** Which document has which stem how often, with BM25 scores over it. Documents are numbered slots. */
export function createPostings() {
  const postings = new Map<string, Posting>();
  const drawers = new Map<string, Set<string>>();
  const stemsOf = new Map<number, string[]>();
  const lengths: number[] = [];
  let totalLength = 0;
  let scratch = new Float64Array(0);

  const idf = (stem: string): number => {
    const df = postings.get(stem)?.slots.length ?? 0;
    return Math.log(1 + (stemsOf.size - df + 0.5) / (df + 0.5));
  };

  return {
    /** How many documents there are. */
    size: (): number => stemsOf.size,

    has: (stem: string): boolean => postings.has(stem),

    /** Puts a document into an empty slot, with how often it has each stem (a title's may count for more). */
    add(slot: number, counts: ReadonlyMap<string, number>, length: number): void {
      for (const [stem, count] of counts) {
        let posting = postings.get(stem);
        if (!posting) {
          postings.set(stem, (posting = { slots: [], counts: [] }));
          const drawer = drawers.get(stem.slice(0, DRAWER_LETTERS));
          if (drawer) drawer.add(stem);
          else drawers.set(stem.slice(0, DRAWER_LETTERS), new Set([stem]));
        }
        posting.slots.push(slot);
        posting.counts.push(count);
      }
      stemsOf.set(slot, [...counts.keys()]);
      lengths[slot] = length;
      totalLength += length;
    },

    /** Empties a slot; nothing of its document is left behind. */
    remove(slot: number): void {
      for (const stem of stemsOf.get(slot) ?? []) {
        const posting = postings.get(stem);
        const at = posting?.slots.indexOf(slot) ?? -1;
        if (!posting || at < 0) continue;
        posting.slots.splice(at, 1);
        posting.counts.splice(at, 1);
        if (posting.slots.length > 0) continue;
        postings.delete(stem);
        drawers.get(stem.slice(0, DRAWER_LETTERS))?.delete(stem);
      }
      stemsOf.delete(slot);
      totalLength -= lengths[slot] ?? 0;
      lengths[slot] = 0;
    },

    /** Stems that begin with this one, itself left out. */
    startingWith(stem: string): string[] {
      const drawer = drawers.get(stem.slice(0, DRAWER_LETTERS)) ?? [];
      return [...drawer].filter((other) => other.length > stem.length && other.startsWith(stem));
    },

    /** Stems with the same first letter and a length that differs by at most `within`. */
    like(stem: string, within: number): string[] {
      const found: string[] = [];
      for (const [key, drawer] of drawers) {
        if (key[0] !== stem[0]) continue;
        for (const other of drawer) if (Math.abs(other.length - stem.length) <= within) found.push(other);
      }
      return found;
    },

    /**
     * Scores of the documents for what was asked: each question word counts once, by the variant that fits the
     * document best; a document that has more of the words comes before one that has a word more often.
     */
    scores(asked: readonly (readonly Variant[])[]): Map<number, number> {
      const sums = new Map<number, number>();
      const matched = new Map<number, number>();
      const averageLength = totalLength / Math.max(1, stemsOf.size);
      if (scratch.length < lengths.length) scratch = new Float64Array(lengths.length * 2);
      for (const variants of asked) {
        const touched: number[] = [];
        // A rare variant must not count for more than the word that was asked for.
        const limit = variants[0] && postings.has(variants[0].stem) ? idf(variants[0].stem) : Infinity;
        for (const { stem, weight } of variants) {
          const posting = postings.get(stem);
          if (!posting) continue;
          const factor = weight * Math.min(idf(stem), limit) * (K1 + 1);
          for (let index = 0; index < posting.slots.length; index++) {
            const slot = posting.slots[index]!;
            const count = posting.counts[index]!;
            const score = (factor * count) / (count + K1 * (1 - B + (B * lengths[slot]!) / averageLength));
            if (scratch[slot] === 0) touched.push(slot);
            if (score > scratch[slot]!) scratch[slot] = score;
          }
        }
        for (const slot of touched) {
          sums.set(slot, (sums.get(slot) ?? 0) + scratch[slot]!);
          matched.set(slot, (matched.get(slot) ?? 0) + 1);
          scratch[slot] = 0;
        }
      }
      for (const [slot, sum] of sums) sums.set(slot, sum * (0.5 + matched.get(slot)! / (2 * asked.length)));
      return sums;
    },
  };
}
export type Postings = ReturnType<typeof createPostings>;
