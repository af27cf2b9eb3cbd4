import * as z from "zod";
import type { Id } from "../core/ids.ts";
import type { Usage } from "../model/model.ts";
import type { PriceStamp } from "../model/pricing.ts";
import { Manifest, type ProcessStep, type Step } from "../workflows/manifest.ts";
import { momentValues } from "../workflows/run-values.ts";
import type { Scope } from "../workflows/template.ts";
import type { Attempt } from "./ask-model.ts";
import { MANIFEST, namedStepPart } from "./parts.ts";
import type { Run } from "./run.ts";
import type { PartRow, RunStore } from "./store.ts";
import type { ToolUse } from "./tool-use.ts";

/**
 * One memo that the load contract looked for, or one text of a source: what became of it, and why. Texts are read
 * again by version, or from the row that they were pinned in.
 */
export const LoadRecord = z.object({
  id: z.string(),
  class: z.enum(["gate", "hook", "trigger", "search", "source"]),
  /** The step that sees it; null means every process step. */
  at: z.string().nullable(),
  ref: z.string(),
  loaded: z.boolean(),
  reason: z.string(),
  memoId: z.string().optional(),
  title: z.string().optional(),
  contentVersion: z.number().optional(),
  tokens: z.number().optional(),
  score: z.number().optional(),
  /** For a source: the row that holds its texts, and which of them this is. */
  part: z.string().optional(),
  nth: z.number().optional(),
  /** Of data: the context step whose value it is a part of. */
  dataOf: z.string().optional(),
});
export type LoadRecord = z.infer<typeof LoadRecord>;

/** What a run does, pinned when it starts: manifest, checked payload, loads by version, and the run's own values. */
export const Plan = z.object({
  manifest: Manifest,
  payload: z.record(z.string(), z.json()),
  loads: z.array(LoadRecord),
  /** What the context steps of the start have as their values, by step. */
  values: z.record(z.string(), z.record(z.string(), z.json())).exactOptional(),
  run: z.record(z.string(), z.union([z.string(), z.number()])),
  startedAt: z.number(),
  /** Duration of the pure steps. */
  ms: z.number(),
  /** A fork: whose steps before `step` are kept, and the rows that hold them here. */
  kept: z
    .object({ runId: z.string(), stepId: z.string(), step: z.number(), rows: z.array(z.string()) })
    .exactOptional(),
});
export type Plan = z.infer<typeof Plan>;

/** What a finished process step left, or a context step that came after one. */
export type StepRow = PartRow & {
  stepId: string;
  returns: ProcessStep["returns"];
  model: string;
  /** All attempts together. */
  usage: Usage;
  costMicroUsd: number | null;
  promptHash: string;
  startedAt: number;
  ms: number;
  stop: string;
  loads: LoadRecord[];
  attempts?: Attempt[];
  /** How many calls there were, where the row does not list them. */
  calls?: number;
  /** The model that the price is of, as the configuration names it. */
  pricedAs?: string;
  /** Which price the cost was computed with; absent where there is none, or it is free. */
  price?: PriceStamp;
  tools?: ToolUse[];
  forEach?: ForEachRecord;
  /** The run that made it, where a fork keeps it. */
  keptFrom?: string;
};

/** How a `For each` went: its elements, those that were asked, cut off by its `max`, and without a usable answer. */
export type ForEachRecord = { elements: number; asked: number; cut: number; failed: number; note: string };

/** The pinned plan; undefined before the run has started. */
export async function readPlan(runs: RunStore, runId: string): Promise<Plan | undefined> {
  const row = await runs.readPart(runId, MANIFEST);
  return row && Plan.parse(JSON.parse(row.text));
}

/** Pins the plan; the first one stays, whoever made it. */
export async function pinPlan(runs: RunStore, runId: string, plan: Plan): Promise<Plan> {
  const { row } = await runs.putPart(runId, { part: MANIFEST, text: JSON.stringify(plan) });
  return Plan.parse(JSON.parse(row.text));
}

/**
 * The finished steps that the head names, by step id: readers follow the name, never the first row they find. Rows
 * never change, so those that are `known` by their part are not read again.
 */
export async function readFinishedSteps(
  runs: RunStore,
  run: Run,
  plan: Plan,
  known = new Map<string, StepRow>(),
): Promise<Map<string, StepRow>> {
  const named = run.rows
    .map((name, index) => ({ name, index, step: plan.manifest.steps[index] }))
    .filter(
      (entry): entry is { name: string; index: number; step: Step } => entry.name !== "" && !!entry.step,
    );
  const rows = await Promise.all(
    named.map(async ({ name, index, step }) => {
      const part = namedStepPart(index, name);
      const row = known.get(part) ?? ((await runs.readPart(run.runId, part)) as StepRow | undefined);
      if (row) known.set(part, row);
      return [step.id, row] as const;
    }),
  );
  return new Map(rows.filter((entry): entry is [string, StepRow] => entry[1] !== undefined));
}

/** What a step sees beside its own loads: those of the start, and of every context step before it. */
export function loadsBefore(plan: Plan, finished: ReadonlyMap<string, StepRow>, index: number): LoadRecord[] {
  const contexts = plan.manifest.steps.slice(0, index).filter(({ kind }) => kind === "context");
  return [...plan.loads, ...contexts.flatMap(({ id }) => finished.get(id)?.loads ?? [])];
}

/** What templates and conditions of this run can see. */
export function scopeOf(plan: Plan, steps: ReadonlyMap<string, StepRow>): Scope {
  const outputs: Record<string, Scope["steps"][string]> = {};
  for (const [stepId, value] of Object.entries(plan.values ?? {})) {
    outputs[stepId] = { returns: "json", text: "", value };
  }
  for (const [stepId, { returns, text }] of steps) {
    outputs[stepId] =
      returns === "json" ? { returns, text, value: JSON.parse(text) as unknown } : { returns, text };
  }
  return { payload: plan.payload, steps: outputs, run: plan.run };
}

/** Values of `{{run.…}}`, pinned at the start so that every step and every repeat sees the same. */
export function runValues(runId: Id<"run">, startedAt: number): Plan["run"] {
  return { id: runId, ...momentValues(startedAt) };
}
