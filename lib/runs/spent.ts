import { addCost, tokensOf } from "../model/usage.ts";
import type { StepRow } from "./plan.ts";

/** What calls have used together. `microUsd` is null as soon as one of them has no price. */
export type Spent = { tokens: number; microUsd: number | null; calls: number };

export const NOTHING_SPENT: Spent = { tokens: 0, microUsd: 0, calls: 0 };

export const addSpent = (a: Spent, b: Spent): Spent => ({
  tokens: a.tokens + b.tokens,
  microUsd: addCost(a.microUsd, b.microUsd),
  calls: a.calls + b.calls,
});

export const sumSpent = (all: readonly Spent[]): Spent => all.reduce(addSpent, NOTHING_SPENT);

/** What the calls behind a row used; a row of a context step has none. */
export function spentOfRow(
  row: Pick<StepRow, "usage" | "costMicroUsd"> & Partial<Pick<StepRow, "attempts" | "calls">>,
): Spent {
  const calls = row.calls ?? row.attempts?.length ?? 0;
  return { tokens: tokensOf(row.usage), microUsd: row.costMicroUsd, calls };
}
