import type { Price } from "./config.ts";
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

/** What a call cost in millionths of a dollar, rounded up: a budget must never seem fuller than it is. */
export function costOf(usage: Usage, price: Price | "free" | null): number | null {
  if (price === null) return null;
  if (price === "free") return 0;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  const cost =
    usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output;
  // Sums of binary fractions end in noise, which must not be rounded up.
  return Math.ceil(Number(cost.toPrecision(12)));
}
