import type { Usage } from "./model.ts";

/** What a call that read and wrote nothing used. */
export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, estimated: false };

/** The sum of two usages, bucket by bucket; estimated as soon as one of them is. */
export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  output: a.output + b.output,
  estimated: a.estimated || b.estimated,
});

/** The sum of any number of usages. */
export const sumUsage = (usages: readonly Usage[]): Usage => usages.reduce(addUsage, NO_USAGE);

/** Every token that was processed: the buckets are disjoint. */
export const tokensOf = (usage: Usage): number =>
  usage.input + usage.cacheRead + usage.cacheWrite + usage.output;

/** The sum of two costs; null as soon as one has no price, since a partial sum would look like a whole one. */
export const addCost = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;
