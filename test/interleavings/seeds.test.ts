import { describe, expect, test } from "vitest";
import { play } from "./play.ts";

/*
 * Two runners, passes, resume, recover, stewards, cancel, producers with duplicates and a person who edits, over the
 * memory engine: at every store call a seed decides who goes on, who dies, whose answer is lost. A seed that fails is
 * played again alone with INTERLEAVING_SEED=<seed>, which prints its writes.
 */

const alone = process.env["INTERLEAVING_SEED"];
const SEEDS = Number(process.env["INTERLEAVING_SEEDS"] ?? 200);
const BATCH = 50;
const first = Number(process.env["INTERLEAVING_FIRST"] ?? 1);

const batches = alone
  ? [{ from: Number(alone), to: Number(alone) }]
  : Array.from({ length: Math.ceil(SEEDS / BATCH) }, (_, batch) => ({
      from: first + batch * BATCH,
      to: first + Math.min(SEEDS, (batch + 1) * BATCH) - 1,
    }));

describe("no interleaving breaks what must always hold", () => {
  test.each(batches)("seeds $from to $to", async ({ from, to }) => {
    const broken: string[] = [];
    for (let seed = from; seed <= to && broken.length < 3; seed++) {
      const { faults, trace } = await play(seed);
      if (faults.length === 0) continue;
      broken.push(`INTERLEAVING_SEED=${seed}: ${faults.join("; ")}`);
      if (alone) broken.push(...trace);
    }
    expect(broken).toEqual([]);
  });
});
