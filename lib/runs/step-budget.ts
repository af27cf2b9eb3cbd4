import { AppError } from "../core/errors.ts";
import type { Usage } from "../model/model.ts";
import { tokensOf } from "../model/usage.ts";
import type { Policy } from "../workflows/manifest.ts";

const MICRO = 1_000_000;

/** What calls have used; null where no price is known. */
export type Spending = { usage: Usage; costMicroUsd: number | null };

/** One call's share of the budget, from before it is made until its usage is known. */
export type Reservation = {
  /** Takes more for a further turn of the same call; false when it does not fit. */
  extend(tokens: number): boolean;
  /** The call is over: what it used counts in place of what it reserved. */
  settle(used: Spending | null): void;
};

/**
 * The run's budget while a step asks: what is spent and what running calls may still use, so that calls at the
 * same time cannot pass together where one of them would not. A call that was made may overshoot by its answer.
 */
export function createBudget(limit: Policy["budget"]["run"], spent: readonly Spending[]) {
  let tokens = spent.reduce((sum, { usage }) => sum + tokensOf(usage), 0);
  let costs: (number | null)[] = spent.map(({ costMicroUsd }) => costMicroUsd);
  let reserved = 0;
  const fits = (more: number) => limit.tokens === null || tokens + reserved + more <= limit.tokens;

  function checkMoney(stepId: string): void {
    if (limit.usd === null) return;
    const known = costs.filter((cost) => cost !== null);
    const spentUsd = known.reduce((sum, cost) => sum + cost, 0) / MICRO;
    if (known.length === costs.length && spentUsd < limit.usd) return;
    const message =
      known.length < costs.length
        ? `step ${stepId} is not asked: a call of this run has no price, so $${limit.usd} cannot be kept`
        : `step ${stepId} is not asked: $${spentUsd} of $${limit.usd} are spent`;
    throw new AppError("budget_exhausted", message, { limit: `$${limit.usd} per run`, spent: spentUsd });
  }

  return {
    /**
     * Before a call: its prompt and the most that can come back must fit.
     * @throws {AppError} budget_exhausted
     */
    reserve(stepId: string, estimate: number): Reservation {
      checkMoney(stepId);
      if (!fits(estimate)) {
        const message = `step ${stepId} needs about ${estimate} tokens; ${tokens} of ${limit.tokens} are spent`;
        const of = `${limit.tokens} tokens per run`;
        throw new AppError("budget_exhausted", message, { limit: of, spent: tokens });
      }
      let own = estimate;
      reserved += own;
      return {
        extend(more) {
          if (!fits(more)) return false;
          own += more;
          reserved += more;
          return true;
        },
        settle(used) {
          reserved -= own;
          own = 0;
          if (!used) return;
          tokens += tokensOf(used.usage);
          costs = [...costs, used.costMicroUsd];
        },
      };
    },
  };
}
export type StepBudget = ReturnType<typeof createBudget>;
