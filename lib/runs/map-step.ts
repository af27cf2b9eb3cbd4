import { AppError, ERRORS, hasCode, isAppError } from "../core/errors.ts";
import { inParallel } from "../core/in-parallel.ts";
import { addCost, NO_USAGE, sumUsage } from "../model/usage.ts";
import { project, type FileScope } from "../workflow-files/reference.ts";
import type { MapStep, NestedStep } from "../workflows/manifest.ts";
import { agentIn, type Asker } from "./agent-step.ts";
import { RETRYABLE } from "./execute-limits.ts";
import { stillOurs } from "./fence.ts";
import { outputOf, valueOfOutput, withOutput, type Output } from "./file-scope.ts";
import { noteSpend } from "./note-spend.ts";
import { elementPart, nestedPart, placeOfElementPart } from "./parts.ts";
import type { ForEachRecord, Plan, StepRow } from "./plan.ts";
import { callRegistered, needMs, waitSec } from "./registered-step.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { spentOfRow } from "./spent.ts";
import type { PartRow } from "./store.ts";

/** One item's outcome: the output of the last of the map's steps, or why there is none. */
export type ItemRow = PartRow & Output & { item: number; error: string | null };
/** What a model answered within an item. */
type AnswerRow = PartRow &
  Output &
  Pick<StepRow, "usage" | "costMicroUsd" | "model" | "attempts"> & { error: string | null };

export type MapWork = {
  run: Run;
  plan: Plan;
  step: MapStep;
  index: number;
  scope: FileScope;
  /** Rows that earlier lets-go and leases have left of this step. */
  left: readonly PartRow[];
  ask: Asker;
};

/** What became of an item that has no row yet. */
type Undone = { againAfterSec: number };

/** All items are done, or some are left to a later ticket; `wrote` says whether anything has come forward. */
export type MapOutcome =
  | { done: ReturnType<typeof mapRow> }
  | { done: null; delaySec: number; wrote: boolean };

/**
 * Each item of a list in turn, `parallelism` at a time, each with a row of its own before the step's: a repeat does
 * what is missing. A tool that asks to be called again keeps nobody else waiting.
 * @throws {AppError} schema_mismatch when there is no list; what an item throws, where it is not collected
 */
export async function runMap(deps: RunnerDeps, work: MapWork): Promise<MapOutcome> {
  const { run, step, plan } = work;
  const list = listOf(step, work.scope);
  const { items, answers } = known(work.left);
  let wrote = false;
  let isLate = false;
  const isOutOfTime = (nested: NestedStep): boolean => (isLate ||= deps.remainingMs() < needMs(nested, plan));
  const outcomes = await inParallel(
    list,
    step.parallelism,
    async (value, item): Promise<ItemRow | Undone> => {
      const before = items.get(item);
      if (before) return before;
      if (isOutOfTime(step.steps[0]!)) return { againAfterSec: 0 };
      await stillOurs(deps, run);
      const startedAt = deps.clock.now();
      const made = await doItem(deps, work, {
        value,
        item,
        answers,
        isOutOfTime,
        onAnswer: () => (wrote = true),
      });
      if ("againAfterSec" in made) return made;
      wrote = true;
      const times = { startedAt, ms: deps.clock.now() - startedAt };
      const part = elementPart(work.index, run.revision, item, run.epoch);
      const row = { part, ...made, ...times, item, usage: NO_USAGE, costMicroUsd: 0 };
      return (await deps.runs.putPart(run.runId, row)).row as ItemRow;
    },
  );
  const rows = outcomes.filter(isDone);
  if (rows.length === list.length) return { done: mapRow(step, list, rows, [...answers.values()]) };
  const waits = outcomes.flatMap((outcome) => (isDone(outcome) ? [] : [outcome.againAfterSec]));
  return { done: null, delaySec: Math.min(...waits), wrote };
}

const isDone = (outcome: ItemRow | Undone): outcome is ItemRow => "part" in outcome;

function listOf(step: MapStep, scope: FileScope): unknown[] {
  const value = project(step.over, scope);
  if (Array.isArray(value)) return value;
  const what = value === undefined ? "nothing" : value === null ? "null" : `a ${typeof value}`;
  const message = `step ${step.id} runs for each of ${step.over}, which is ${what} and no list`;
  throw new AppError("schema_mismatch", message, { stepId: step.id, failing: [] });
}

const answerKey = (item: number, nested: number): string => `${item}.${nested}`;

function known(left: readonly PartRow[]) {
  const items = new Map<number, ItemRow>();
  const answers = new Map<string, AnswerRow>();
  for (const row of left) {
    const { item, nested } = placeOfElementPart(row.part);
    if (nested === null) items.set(item, row as ItemRow);
    else answers.set(answerKey(item, nested), row as AnswerRow);
  }
  return { items, answers };
}

type ItemGiven = {
  value: unknown;
  item: number;
  answers: Map<string, AnswerRow>;
  isOutOfTime(nested: NestedStep): boolean;
  onAnswer(): void;
};
type ItemOutcome = (Output & { error: string | null }) | Undone;

/** A collecting map keeps what went wrong with one item as that item's outcome. */
async function doItem(deps: RunnerDeps, work: MapWork, given: ItemGiven): Promise<ItemOutcome> {
  try {
    return await doSteps(deps, work, given);
  } catch (error) {
    if (hasCode(error, "budget_exhausted")) {
      // A person is asked about the whole step, and not about one of its items.
      throw new AppError("budget_exhausted", error.message, { ...error.details, stepId: work.step.id });
    }
    if (work.step.onError === "throw" || !isOfItem(work, error)) throw error;
    return { returns: "text", text: "", error: messageOf(error) };
  }
}

/**
 * Not of the item: a lease that is lost, a store that does not answer, a limit that is reached; and what may go
 * better another time, for as long as the policy lets it be tried again.
 */
function isOfItem({ run, plan }: MapWork, error: unknown): boolean {
  if (!isAppError(error)) return true;
  if (error.code === "lease_lost" || ERRORS[error.code].disposition === "retry") return false;
  return !RETRYABLE.has(error.code) || run.tries >= plan.manifest.policy.retries;
}

const messageOf = (error: unknown): string => (isAppError(error) ? error.message : ERRORS.internal.title);

/** The steps of one item; what they give is seen by the later ones of the same item alone. */
async function doSteps(deps: RunnerDeps, work: MapWork, given: ItemGiven): Promise<ItemOutcome> {
  const { step } = work;
  let scope: FileScope = { ...work.scope, item: { value: given.value, index: given.item } };
  let value: unknown;
  for (const [nth, nested] of step.steps.entries()) {
    if (given.isOutOfTime(nested)) return { againAfterSec: 0 };
    if (nested.kind === "agent") {
      const answer = await answerOf(deps, work, given, { agent: nested, nth, scope });
      if (answer.error !== null) return { returns: "text", text: "", error: answer.error };
      value = valueOfOutput(answer);
    } else {
      const itemPlace = `${nested.id}#${given.item}`;
      const outcome = await callRegistered(deps, work.run, work.plan, { step: nested, scope, itemPlace });
      if ("againAfterSec" in outcome) return { againAfterSec: waitSec(outcome) };
      ({ value } = outcome);
    }
    scope = withOutput(scope, nested.id, value);
  }
  return { ...outputOf(step.id, value), error: null };
}

/** An answer is a row before it is used: a repeat of the item asks no model again. */
async function answerOf(
  deps: RunnerDeps,
  { run, plan, step, index, ask }: MapWork,
  { item, answers, onAnswer }: ItemGiven,
  { agent, nth, scope }: { agent: Extract<NestedStep, { kind: "agent" }>; nth: number; scope: FileScope },
): Promise<AnswerRow> {
  // The place of a question within its step: reservations and calls without an answer are kept by it.
  const element = item * step.steps.length + nth;
  const key = answerKey(item, nth);
  let row = answers.get(key);
  if (!row) {
    const asked = await ask(
      { agent: agentIn(agent, scope), input: project(agent.input, scope), element },
      { mayFail: step.onError === "collect" },
    );
    const { fault, ...answer } = asked;
    const part = nestedPart(index, run.revision, item, nth, run.epoch);
    const put = await deps.runs.putPart(run.runId, {
      part,
      ...answer,
      stepId: agent.id,
      error: fault?.message ?? null,
    });
    row = put.row as AnswerRow;
    answers.set(key, row);
    onAnswer();
  }
  await noteSpend(deps, run, row, { index, element, day: plan.manifest.policy.budget.day });
  return row;
}

/** The step's own row, from those of its items in their order, and all that their answers have cost. */
function mapRow(
  step: MapStep,
  list: readonly unknown[],
  rows: readonly ItemRow[],
  answers: readonly AnswerRow[],
) {
  const values = rows.map((row) => (row.error === null ? valueOfOutput(row) : undefined));
  const failed = rows.filter(({ error }) => error !== null).length;
  const results = rows.map(({ error }, index) =>
    error === null
      ? { status: "fulfilled", index, value: values[index] }
      : { status: "rejected", index, item: list[index], error },
  );
  const envelope = { results, succeeded: rows.length - failed, failed };
  const forEach: ForEachRecord = {
    elements: rows.length,
    asked: rows.length,
    cut: 0,
    failed,
    note: "every item was done",
  };
  return {
    ...outputOf(step.id, step.onError === "collect" ? envelope : values),
    model: answers.at(-1)?.model ?? "",
    usage: sumUsage(answers.map(({ usage }) => usage)),
    costMicroUsd: answers.reduce<number | null>((sum, row) => addCost(sum, row.costMicroUsd), 0),
    calls: answers.reduce((sum, row) => sum + spentOfRow(row).calls, 0),
    forEach,
  };
}
