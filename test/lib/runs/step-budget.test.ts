import { expect, test } from "vitest";
import { createBudget } from "../../../lib/runs/step-budget.ts";

const used = (input: number, costMicroUsd: number | null = 0) => ({
  usage: { input, cacheRead: 0, cacheWrite: 0, output: 0, estimated: false },
  costMicroUsd,
});

test("what running calls may still use counts, until it is known what they did use", () => {
  const budget = createBudget({ tokens: 1000, usd: null }, [used(100)]);
  const first = budget.reserve("draft", 500);
  expect(() => budget.reserve("draft", 500)).toThrow("100 of 1000 are spent");
  expect(first.extend(401)).toBe(false);
  expect(first.extend(400)).toBe(true);
  expect(() => budget.reserve("draft", 1)).toThrow("needs about 1 tokens");
  first.settle(used(200));
  const second = budget.reserve("draft", 700);
  second.settle(null);
  expect(() => budget.reserve("draft", 701)).toThrow("300 of 1000 are spent");
});

test("money is counted as calls settle, and one without a price stops it", () => {
  const budget = createBudget({ tokens: null, usd: 0.5 }, [used(1, 300_000)]);
  budget.reserve("draft", 1).settle(used(1, 199_999));
  budget.reserve("draft", 1).settle(used(1, 1));
  expect(() => budget.reserve("draft", 1)).toThrow("$0.5 of $0.5 are spent");
  const unpriced = createBudget({ tokens: null, usd: 0.5 }, [used(1, null)]);
  expect(() => unpriced.reserve("draft", 1)).toThrow("no price");
});
