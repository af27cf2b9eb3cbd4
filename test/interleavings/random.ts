/** Numbers that a seed decides. */
export type Random = {
  /** 0 to below 1. */
  unit(): number;
  /** 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
};

/** Mulberry32: small, fast, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    unit,
    below: (limit) => Math.floor(unit() * limit),
    chance: (probability) => unit() < probability,
    pick: (from) => from[Math.floor(unit() * from.length)]!,
  };
}
