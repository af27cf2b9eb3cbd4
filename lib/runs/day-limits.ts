import { AppError } from "../core/errors.ts";
import type { BudgetBreach } from "../core/run-errors.ts";
import { digestOf } from "../core/ids.ts";
import { breachText } from "../spend/amount.ts";
import { limitsOf, type Day, type Reserved } from "../spend/day-row.ts";
import { hasLimit, type DayBudget } from "../spend/day.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { NO_DAY_LIMITS, type Allowance, type DayLimits, type PlannedCall } from "./step-budget.ts";

/** Reservations of others that a refusal looks at before it tries again, and most of them that it looks at. */
const LOOKED_AT = 25;
const MOST_LOOKED_AT = 250;

/** The reservation of one question: the same for every attempt, repeat and runner of it. */
export const slotOf = (run: Run, index: number, element: number | null): string =>
  digestOf([run.runId, index, run.revision, element ?? ""]).slice(0, 16);

type Kept = { of: "workflow day" | "library day"; workflowId: string | null; limit: DayBudget };

/** The days whose limits this run must keep. */
export function keptDays(
  { libraryUsdPerDay }: Pick<RunnerDeps, "libraryUsdPerDay">,
  run: Run,
  day: DayBudget,
): Kept[] {
  const { workflowId } = run;
  return [
    ...(hasLimit(day) ? [{ of: "workflow day", workflowId, limit: day } as const] : []),
    ...(libraryUsdPerDay === null
      ? []
      : [{ of: "library day", workflowId: null, limit: { tokens: null, usd: libraryUsdPerDay } } as const]),
  ];
}

/**
 * Reservations on the rows of the day on which a question was begun, before each of its calls. What a runner that
 * died has left is taken over by the next one of its run, since the question has the same place. Of a run that has
 * ended or waits it is given back by the first question that does not fit because of it: until then it is in
 * nobody's way.
 */
export function createDayLimits(
  deps: Pick<RunnerDeps, "spend" | "runs" | "libraryUsdPerDay">,
  run: Run,
  given: { index: number; day: DayBudget; allowance: Allowance },
): DayLimits {
  const kept = keptDays(deps, run, given.day);
  if (kept.length === 0) return NO_DAY_LIMITS;

  async function takeOf({ of, workflowId, limit }: Kept, call: PlannedCall, wanted: Reserved): Promise<void> {
    const day: Day = { ownerUid: run.ownerUid, workflowId, at: call.startedAt };
    const slot = slotOf(run, given.index, call.element);
    const held = given.allowance.has(of) ? null : limit;
    let full = await deps.spend.reserve(day, slot, wanted, held);
    const others = [...(full?.reserved ?? [])].slice(0, MOST_LOOKED_AT);
    for (let at = 0; full && at < others.length; at += LOOKED_AT) {
      if (await releaseLeft(deps, day, others.slice(at, at + LOOKED_AT)))
        full = await deps.spend.reserve(day, slot, wanted, held);
    }
    if (!full) return;
    const own = full.reserved.get(slot);
    const side = limitsOf(limit).find(({ unit, amount }) => {
      return full.committed[unit] + wanted[unit] - (own?.[unit] ?? 0) > amount;
    });
    if (!side)
      throw new AppError("internal", `the day of ${workflowId ?? "the library"} refuses what fits`, {});
    const { unit, amount } = side;
    const spent = full.committed[unit] - (own?.[unit] ?? 0);
    throw refused({ of, unit, limit: amount, spent, estimate: wanted[unit], stepId: call.stepId });
  }

  return {
    async take(call, { tokens, microUsd }) {
      const wanted: Reserved = { runId: run.runId, epoch: run.epoch, tokens, microUsd: microUsd ?? 0 };
      for (const one of kept) {
        const usd = limitsOf(one.limit).find(({ unit }) => unit === "microUsd");
        const { of } = one;
        if (microUsd === null && usd && !given.allowance.has(of)) {
          const money = { of, unit: "microUsd", limit: usd.amount, spent: 0, estimate: null } as const;
          throw refused({ ...money, stepId: call.stepId });
        }
        // A free call takes nothing of a limit in money, also where nothing is left of it.
        if (one.limit.tokens === null && microUsd === 0) continue;
        await takeOf(one, call, wanted);
      }
    },
  };
}

const refused = (breach: BudgetBreach) => new AppError("budget_exhausted", breachText(breach), breach);

const isAtWork = (head: Run | undefined): boolean => head?.status === "running";

/** Gives back what runs have left that are not at work. True when there was any. */
async function releaseLeft(
  { spend, runs }: Pick<RunnerDeps, "spend" | "runs">,
  day: Day,
  entries: readonly [slot: string, of: Reserved][],
): Promise<boolean> {
  const heads = await runs.readHeads(entries.map(([, { runId }]) => runId));
  const atWork = new Set<string>(heads.filter(isAtWork).map(({ runId }) => runId));
  let isReleased = false;
  for (const [slot, of] of entries) {
    // The batch was a hint; a run that has just gone on keeps what is its own.
    if (atWork.has(of.runId) || isAtWork(await runs.readHead(of.runId))) continue;
    // Exactly the one that was read: its run may be going on and have taken it over meanwhile.
    await spend.release(day, slot, of);
    isReleased = true;
  }
  return isReleased;
}

/** Gives back what a question has reserved when none of its calls left a record. */
export async function releaseQuestion(
  deps: Pick<RunnerDeps, "spend" | "libraryUsdPerDay">,
  run: Run,
  question: { index: number; element: number | null; startedAt: number; day: DayBudget },
): Promise<void> {
  const { index, element, startedAt } = question;
  for (const { workflowId } of keptDays(deps, run, question.day)) {
    const day: Day = { ownerUid: run.ownerUid, workflowId, at: startedAt };
    await deps.spend.release(day, slotOf(run, index, element));
  }
}
