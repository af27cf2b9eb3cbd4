import { expect, test } from "vitest";
import {
  createBudget,
  NO_DAY_LIMITS,
  type PlannedCall,
  NOTHING_ALLOWED,
} from "../../../lib/runs/step-budget.ts";
import { NOTHING_SPENT, type Spent } from "../../../lib/runs/spent.ts";

const used = (tokens: number, microUsd: number | null = 0): Spent => ({ tokens, microUsd, calls: 1 });
const call = (promptTokens: number, maxOutputTokens: number | null = null): PlannedCall => ({
  stepId: "draft",
  promptTokens,
  maxOutputTokens,
  element: null,
  before: NOTHING_SPENT,
  startedAt: 0,
});
/** $3 and $15 for a million tokens. */
const PRICE = { input: 3, output: 15, asOf: "2026-05-01" };

const budgetOf = (more: Partial<Parameters<typeof createBudget>[0]>) =>
  createBudget({
    limit: { tokens: null, usd: null },
    spent: NOTHING_SPENT,
    price: "free",
    recoveries: 0,
    allowance: NOTHING_ALLOWED,
    days: NO_DAY_LIMITS,
    ...more,
  });
const breach = (details: object) => ({ code: "budget_exhausted", details });

test("what running calls may still use counts, until it is known what they did use", async () => {
  const budget = budgetOf({ limit: { tokens: 1000, usd: null }, spent: used(100) });
  const first = await budget.reserve(call(300, 200));
  await expect(budget.reserve(call(500))).rejects.toMatchObject(
    breach({ of: "run", unit: "tokens", limit: 1000, spent: 600, estimate: 500, stepId: "draft" }),
  );
  expect(await first.extend(401)).toBe(false);
  expect(await first.extend(400)).toBe(true);
  await expect(budget.reserve(call(1))).rejects.toThrow("1000 of 1000 tokens per run are spent");
  first.settle(used(200));
  const second = await budget.reserve(call(700));
  second.settle(null);
  await expect(budget.reserve(call(701))).rejects.toThrow("300 of 1000 tokens per run are spent");
});

test("calls at the same time cannot pass together", async () => {
  const budget = budgetOf({ limit: { tokens: 1000, usd: null } });
  const asked = await Promise.allSettled(Array.from({ length: 5 }, () => budget.reserve(call(300))));
  expect(asked.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
  ]);
});

test("money is reserved at the model's price before a call, and counted as it settles", async () => {
  // 1000 of prompt and 2000 of output: 3,000 + 30,000 millionths.
  const budget = budgetOf({ limit: { tokens: null, usd: 0.05 }, price: PRICE });
  const first = await budget.reserve(call(1000, 2000));
  await expect(budget.reserve(call(1000, 2000))).rejects.toMatchObject(
    breach({ of: "run", unit: "microUsd", limit: 50_000, spent: 33_000, estimate: 33_000, stepId: "draft" }),
  );
  first.settle(used(1500, 10_500));
  await expect(budget.reserve(call(1000, 2000))).resolves.toBeDefined();
});

test("a limit in money that is reached lets nothing through, and one call without a price stops it", async () => {
  const reached = budgetOf({ limit: { tokens: null, usd: 0.5 }, spent: used(1, 300_000) });
  (await reached.reserve(call(1))).settle(used(1, 199_999));
  (await reached.reserve(call(1))).settle(used(1, 1));
  await expect(reached.reserve(call(1))).rejects.toThrow("$0.50 of $0.50 per run are spent");
  const spentUnpriced = budgetOf({ limit: { tokens: null, usd: 0.5 }, spent: used(1, null) });
  await expect(spentUnpriced.reserve(call(1))).rejects.toThrow("a call of this run has no price");
  const unpriced = budgetOf({ limit: { tokens: null, usd: 0.5 }, price: null });
  await expect(unpriced.reserve(call(1))).rejects.toThrow("its model has no price");
});

test("each time that a runner died counts as one more call like this one", async () => {
  const limit = { tokens: 1000, usd: null };
  await expect(budgetOf({ limit, recoveries: 2 }).reserve(call(334))).rejects.toMatchObject(
    breach({ of: "run", unit: "tokens", limit: 1000, spent: 668, estimate: 334, stepId: "draft" }),
  );
  await expect(budgetOf({ limit, recoveries: 2 }).reserve(call(333))).resolves.toBeDefined();
  await expect(budgetOf({ limit, recoveries: 1 }).reserve(call(334))).resolves.toBeDefined();
});

test("a step that a person allowed once is not refused", async () => {
  const limit = { tokens: 10, usd: 0.01 };
  const allowed = budgetOf({
    limit,
    price: null,
    spent: used(100, null),
    allowance: new Set(["run"] as const),
  });
  await expect(allowed.reserve(call(1000))).resolves.toBeDefined();
});
