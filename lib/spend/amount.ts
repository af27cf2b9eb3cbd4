import type { BudgetBreach } from "../core/run-errors.ts";

/** Millionths of a dollar in one. */
export const MICRO = 1_000_000;

/** `$0.25`, to the millionth and no further than needed: at least cents. */
export function usdText(microUsd: number): string {
  const [whole = "0", parts = ""] = (microUsd / MICRO).toFixed(6).split(".");
  return `$${whole}.${parts.replace(/0{1,4}$/, "")}`;
}

/** `$0.25` or `1200 tokens`; `an unknown cost` where a call has no price. */
export function amountText(unit: BudgetBreach["unit"], amount: number | null): string {
  if (amount === null) return "an unknown cost";
  return unit === "tokens" ? `${amount} tokens` : usdText(amount);
}

/** `1000 tokens per run`. */
export function limitText({ of, unit, limit }: BudgetBreach): string {
  const per = { run: "per run", "workflow day": "per day", "library day": "per day for the whole library" }[
    of
  ];
  return `${amountText(unit, limit)} ${per}`;
}

/** Why a step is not asked, in one sentence. */
export function breachText(breach: BudgetBreach): string {
  const { stepId, unit, spent, estimate } = breach;
  const limit = limitText(breach);
  if (spent === null || estimate === null) {
    const what = spent === null ? "a call of this run has" : "its model has";
    return `step ${stepId} is not asked: ${what} no price, so ${limit} cannot be kept`;
  }
  const count = unit === "tokens" ? String(spent) : usdText(spent);
  return `step ${stepId} is not asked: ${count} of ${limit} are spent, and it may need ${amountText(unit, estimate)}`;
}
