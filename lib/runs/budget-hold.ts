import { sha256, type Sha256 } from "../core/bytes.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import type { AppError } from "../core/errors.ts";
import type { BudgetBreach } from "../core/run-errors.ts";
import { gatesOf } from "./hold-history.ts";
import { openHold } from "./open-hold.ts";
import { questionPart } from "./parts.ts";
import type { Plan } from "./plan.ts";
import type { Gate, Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { RunStore } from "./store.ts";
import { NOTHING_ALLOWED, type Allowance } from "./step-budget.ts";
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
  const question: Question = { ...error.details, revision, message: messageOf(plan, error) };
  const text = canonicalJson(question);
  const sha = sha256(text);
  await deps.runs.putPart(run.runId, { part: questionPart(sha), text });
  const held = await openHold(deps, run, plan, { kind: "budget", stepId, revision, sha256: sha });
  if (held.status === "suspending") await finishSuspend(deps, held);
}

/** What is asked, whole: an answer holds for the step and not for one of its calls. */
function messageOf({ manifest }: Plan, { message, details }: AppError<"budget_exhausted">): string {
  const step = manifest.steps.find(({ id }) => id === details.stepId);
  const isList = step?.kind === "process" && step.forEach;
  return isList ? `${message} for each element of its list: once allowed, all of them pass` : message;
}

/** The limits that a step may pass: those alone that a person was asked about and let it pass, in this revision. */
export async function allowedOnce(runs: RunStore, run: Run, stepId: string): Promise<Allowance> {
  if (!isAllowed(run, run.gate, stepId)) return NOTHING_ALLOWED;
  const gates = (await gatesOf(runs, run)).filter((gate) => isAllowed(run, gate, stepId));
  const questions = await Promise.all(gates.map(({ sha256: sha }) => readQuestion(runs, run.runId, sha)));
  return new Set(questions.flatMap((question) => question?.of ?? []));
}

const isAllowed = ({ revision }: Run, gate: Gate | undefined, stepId: string): boolean =>
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
