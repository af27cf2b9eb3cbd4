import { expect, test } from "vitest";
import { addCost, NO_USAGE, sumUsage, tokensOf } from "../../../lib/model/usage.ts";

const counted = { input: 1, cacheRead: 20, cacheWrite: 300, output: 4000, estimated: false };

test("counts every bucket once", () => {
  expect(tokensOf(counted)).toBe(4321);
});

test("adds bucket by bucket, and is an estimate as soon as one part is", () => {
  expect(sumUsage([counted, counted])).toEqual({
    input: 2,
    cacheRead: 40,
    cacheWrite: 600,
    output: 8000,
    estimated: false,
  });
  expect(sumUsage([counted, { ...NO_USAGE, estimated: true }]).estimated).toBe(true);
  expect(sumUsage([])).toEqual(NO_USAGE);
});

test("has no cost where one part has no price", () => {
  expect(addCost(2, 3)).toBe(5);
  expect(addCost(2, null)).toBeNull();
});
