import { DAY_MS } from "../core/duration.ts";

/** What a workflow has spent on one day, in UTC. A call without a price adds tokens alone. */
export type Spend = { tokens: number; microUsd: number };

/** What a policy allows a workflow on one day; null is no limit. */
export type DayBudget = { tokens: number | null; usd: number | null };

/** `2026-01-05`, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** When the next day begins, in UTC. */
export const nextDayAt = (at: number): number => (Math.floor(at / DAY_MS) + 1) * DAY_MS;

/** Whether a budget says anything at all: without one nothing needs to be read. */
export const hasLimit = ({ tokens, usd }: DayBudget): boolean => tokens !== null || usd !== null;

/** Whether nothing is left of the day's budget. Runs that are under way go on, so a day may end above it. */
export const isUsedUp = ({ tokens, usd }: DayBudget, spend: Spend): boolean =>
  (tokens !== null && spend.tokens >= tokens) || (usd !== null && spend.microUsd >= usd * 1_000_000);
