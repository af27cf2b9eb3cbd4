import { sha256, type Sha256 } from "../core/bytes.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import type { AppError } from "../core/errors.ts";
import type { BudgetBreach } from "../core/run-errors.ts";
import { openHold } from "./open-hold.ts";
import { questionPart } from "./parts.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { RunStore } from "./store.ts";
import { finishSuspend } from "./suspend.ts";

/** What a budget hold asks: may this step of this revision pass this limit once? */
export type Question = BudgetBreach & { revision: number; message: string };

/** A step that does not fit its budget waits for a person, with all that was done before it kept. */
export async function holdForBudget(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  error: AppError<"budget_exhausted">,
): Promise<void> {
  const { stepId } = error.details;
  const { revision } = run;
  const question: Question = { ...error.details, revision, message: error.message };
  const text = canonicalJson(question);
  const sha = sha256(text);
  await deps.runs.putPart(run.runId, { part: questionPart(sha), text });
  const held = await openHold(deps, run, plan, { kind: "budget", stepId, revision, sha256: sha });
  if (held.status === "suspending") await finishSuspend(deps, held);
}

/** Whether a person let this step pass its limits: once, in this revision. */
export const isAllowedOnce = ({ gate, revision }: Run, stepId: string): boolean =>
  gate?.decision?.verdict === "allow_once" && gate.stepId === stepId && gate.revision === revision;

/** The question of a budget hold. */
export async function readQuestion(
  runs: RunStore,
  runId: string,
  sha: Sha256,
): Promise<Question | undefined> {
  const row = await runs.readPart(runId, questionPart(sha));
  return row && (JSON.parse(row.text) as Question);
}
