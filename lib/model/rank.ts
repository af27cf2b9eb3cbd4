import { termsOf } from "./terms.ts";

/** What is looked for: a weight for each term. */
export type Query = ReadonlyMap<string, number>;

/** A query from texts; a term keeps its greatest weight. */
export function queryOf(texts: readonly { text: string; weight: number }[]): Query {
  const query = new Map<string, number>();
  for (const { text, weight } of texts) {
    for (const term of termsOf(text)) query.set(term, Math.max(query.get(term) ?? 0, weight));
  }
  return query;
}

// The usual constants; b is low because sentences differ little in length and a short one is not a better one.
const K1 = 1.2;
const B = 0.4;

/** The BM25 score of each document (its terms) for a query, in the same order; 0 shares no term with it. */
export function bm25(documents: readonly (readonly string[])[], query: Query): number[] {
  const counts = documents.map(countTerms);
  const average = documents.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, documents.length);
  const holding = new Map<string, number>();
  for (const term of query.keys()) holding.set(term, counts.filter((count) => count.has(term)).length);
  return counts.map((count, index) => {
    const length = documents[index]?.length ?? 0;
    let score = 0;
    for (const [term, weight] of query) {
      const frequency = count.get(term);
      if (frequency === undefined) continue;
      const held = holding.get(term) ?? 0;
      const rarity = Math.log(1 + (documents.length - held + 0.5) / (held + 0.5));
      const norm = K1 * (1 - B + (B * length) / Math.max(1, average));
      score += (weight * rarity * frequency * (K1 + 1)) / (frequency + norm);
    }
    return score;
  });
}

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** The share of terms that two sets have in common, 0 to 1. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const term of a) if (b.has(term)) shared++;
  return shared / (a.size + b.size - shared);
}
