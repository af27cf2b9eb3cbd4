import { AppError, hasCode } from "../core/errors.ts";
import type { BudgetBreach } from "../core/run-errors.ts";
import type { Price } from "../model/config.ts";
import { addCost, costOf, NO_USAGE } from "../model/usage.ts";
import { breachText, MICRO } from "../spend/amount.ts";
import type { Policy } from "../workflows/manifest.ts";
import { addSpent, NOTHING_SPENT, type Spent } from "./spent.ts";

/** Tokens, and what they cost in millionths of a dollar. */
export type Amount = { tokens: number; microUsd: number };

/** A call before it is made: which step's, and what it may take at most. */
export type PlannedCall = {
  stepId: string;
  promptTokens: number;
  maxOutputTokens: number | null;
  /** Which element of the step's list; null for a step without one. */
  element: number | null;
  /** What earlier calls of the same question have used. */
  before: Spent;
  /** When the question was begun: its day is the one that pays. */
  startedAt: number;
  /** Where it is another than the budget's: calls of one step may be to several models. */
  price?: Price | "free" | null;
};

/** One call's share of the budget, from before it is made until its usage is known. */
export type Reservation = {
  /** Takes more for a further turn of the same call; false when it does not fit. */
  extend(promptTokens: number): Promise<boolean>;
  /** The call is over: what it used counts in place of what it reserved. */
  settle(used: Spent | null): void;
};

/** The limits that a person let a step pass, once: nothing is refused by them, everything is counted. */
export type Allowance = ReadonlySet<BudgetBreach["of"]>;
export const NOTHING_ALLOWED: Allowance = new Set();

/** The limits on a day, kept in rows that parallel runs share. */
export type DayLimits = {
  /**
   * Reserves what a question takes in all. Safe to repeat: one question has one reservation.
   * @throws {AppError} budget_exhausted
   */
  take(call: PlannedCall, inAll: { tokens: number; microUsd: number | null }): Promise<void>;
};

/** Where no limit on a day is kept. */
export const NO_DAY_LIMITS: DayLimits = { take: async () => undefined };

/**
 * The run's budget while a step asks: what is spent and what running calls may still use, so that calls at the
 * same time cannot pass together where one of them would not. A call that was made may overshoot by its answer.
 */
export function createBudget(given: {
  limit: Policy["budget"]["run"];
  /** What the run has spent, in all its steps and revisions. */
  spent: Spent;
  price: Price | "free" | null;
  /** How often a runner of this run has died. */
  recoveries: number;
  allowance: Allowance;
  days: DayLimits;
}) {
  const { limit, price, days } = given;
  let spent = given.spent;
  let held: Amount = { tokens: 0, microUsd: 0 };

  const costOfTokens = (call: PlannedCall, input: number, output: number): number | null =>
    costOf({ ...NO_USAGE, input, output }, call.price === undefined ? price : call.price);

  /**
   * Why so much more does not fit. A runner that died in a call left no record of it, and the call may have been
   * paid for: each recovery counts as one more call like this one. That is more than was lost where the runner died
   * between two calls, and needs no write before each of them.
   */
  function breachOf(stepId: string, more: { tokens: number; microUsd: number | null }): BudgetBreach | null {
    if (given.allowance.has("run")) return null;
    const lostTokens = given.recoveries * more.tokens;
    const tokens = spent.tokens + held.tokens + lostTokens;
    if (limit.tokens !== null && tokens + more.tokens > limit.tokens) {
      const estimate = more.tokens;
      return { of: "run", unit: "tokens", limit: limit.tokens, spent: tokens, estimate, stepId };
    }
    if (limit.usd === null) return null;
    const money = { of: "run", unit: "microUsd", limit: Math.round(limit.usd * MICRO), stepId } as const;
    if (spent.microUsd === null || more.microUsd === null) {
      return { ...money, spent: spent.microUsd, estimate: more.microUsd };
    }
    const microUsd = spent.microUsd + held.microUsd + given.recoveries * more.microUsd;
    // With nothing left even a call that seems free is not made: its price may be wrong.
    if (microUsd + more.microUsd <= money.limit && microUsd < money.limit) return null;
    return { ...money, spent: microUsd, estimate: more.microUsd };
  }

  return {
    /**
     * Before a call: its prompt and the most that can come back must fit.
     * @throws {AppError} budget_exhausted
     */
    async reserve(call: PlannedCall): Promise<Reservation> {
      const own = { tokens: 0, microUsd: 0 };
      async function take(input: number, output: number): Promise<void> {
        const microUsd = costOfTokens(call, input, output);
        const more = { tokens: input + output, microUsd };
        const breach = breachOf(call.stepId, more);
        if (breach) throw new AppError("budget_exhausted", breachText(breach), breach);
        const taken = { tokens: more.tokens, microUsd: microUsd ?? 0 };
        // At once and not after the days have answered: another call of this run may be asking meanwhile.
        add(own, taken, 1);
        try {
          await days.take(call, {
            tokens: call.before.tokens + own.tokens,
            microUsd: microUsd === null ? null : addCost(call.before.microUsd, own.microUsd),
          });
        } catch (error) {
          add(own, taken, -1);
          throw error;
        }
      }
      function add(to: Amount, amount: Amount, sign: 1 | -1): void {
        to.tokens += sign * amount.tokens;
        to.microUsd += sign * amount.microUsd;
        held = {
          tokens: held.tokens + sign * amount.tokens,
          microUsd: held.microUsd + sign * amount.microUsd,
        };
      }
      await take(call.promptTokens, call.maxOutputTokens ?? 0);
      return {
        async extend(promptTokens) {
          try {
            await take(promptTokens, 0);
            return true;
          } catch (error) {
            if (hasCode(error, "budget_exhausted")) return false;
            throw error;
          }
        },
        settle(used) {
          add(own, { ...own }, -1);
          spent = addSpent(spent, used ?? NOTHING_SPENT);
        },
      };
    },
  };
}
export type StepBudget = ReturnType<typeof createBudget>;
