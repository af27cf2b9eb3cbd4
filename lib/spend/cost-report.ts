import * as z from "zod";
import { DAY_MS } from "../core/duration.ts";
import type { DayRow, ModelSpend } from "./day-row.ts";
import { dayOf } from "./day.ts";
import type { SpendStore } from "./store.ts";

/** What a line of the report is about. */
export const COST_BY = ["workflow", "day", "session", "model"] as const;
export type CostBy = (typeof COST_BY)[number];

/** Rows of days are kept for 100; what is asked for must be there whole. */
const MAX_DAYS = 92;

/** Most rows of days that one report adds up, so that a request stays bounded. */
const MAX_ROWS = 2000;

export const CostQuery = z.strictObject({
  by: z.enum(COST_BY).default("workflow"),
  /** Whole days in UTC, today among them. */
  since: z
    .string()
    .regex(/^[1-9]\d?d$/, { error: "expected a number of days, such as 7d" })
    .transform((text) => Number(text.slice(0, -1)))
    .refine((days) => days <= MAX_DAYS, { error: `at most ${MAX_DAYS}d: older days are not kept` })
    .default(7),
});
export type CostQuery = z.infer<typeof CostQuery>;

/** Null as soon as one call has no price: a sum without it would look like a whole one. */
export type Cost = { tokens: number; calls: number; costMicroUsd: number | null; unpricedCalls: number };

export const costView = ({ tokens, microUsd, calls, unpriced }: ModelSpend): Cost => ({
  tokens,
  calls,
  costMicroUsd: unpriced > 0 ? null : microUsd,
  unpricedCalls: unpriced,
});

export const NO_SPEND: ModelSpend = { tokens: 0, microUsd: 0, calls: 0, unpriced: 0 };
export const addSpend = (a: ModelSpend, b: ModelSpend): ModelSpend => ({
  tokens: a.tokens + b.tokens,
  microUsd: a.microUsd + b.microUsd,
  calls: a.calls + b.calls,
  unpriced: a.unpriced + b.unpriced,
});

export type SpendReport = {
  from: string;
  to: string;
  /** False when there were too many rows: then the days before `from` are left out. */
  complete: boolean;
  lines: ReadonlyMap<string, ModelSpend>;
  total: ModelSpend;
  /** The dates of the prices with which these costs were computed. */
  pricesAsOf: readonly string[];
};

/** What an owner's workflows spent over whole days, today among them, summed by workflow, day or model. */
export async function spendReport(
  { spend }: { spend: Pick<SpendStore, "rowsOf"> },
  ownerUid: string,
  { by, days, at }: { by: Exclude<CostBy, "session">; days: number; at: number },
): Promise<SpendReport> {
  const to = dayOf(at);
  const asked = dayOf(at - (days - 1) * DAY_MS);
  const { rows, cutDay } = await spend.rowsOf(ownerUid, { from: asked, to, limit: MAX_ROWS });
  // A day of which only some rows were read would look cheaper than it was.
  const from = cutDay === null ? asked : dayOf(Date.parse(cutDay) + DAY_MS);
  const whole = rows.filter(({ day }) => day >= from);
  const lines = new Map<string, ModelSpend>();
  const add = (key: string, spent: ModelSpend) =>
    void lines.set(key, addSpend(lines.get(key) ?? NO_SPEND, spent));
  for (const row of whole) {
    if (by === "model") for (const [model, spent] of row.models) add(model, spent);
    else add(by === "day" ? row.day : row.workflowId, row);
  }
  return {
    from,
    to,
    complete: cutDay === null,
    lines,
    total: whole.reduce<ModelSpend>(addSpend, NO_SPEND),
    pricesAsOf: [...new Set(whole.flatMap(({ asOf }: DayRow) => asOf))].sort(),
  };
}

/** Dearest first; where that is equal the one with more tokens. */
export const dearestFirst = (
  [, a]: readonly [unknown, ModelSpend],
  [, b]: readonly [unknown, ModelSpend],
): number => b.microUsd - a.microUsd || b.tokens - a.tokens;
