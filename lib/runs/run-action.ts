import { AppError } from "../core/errors.ts";
import { readMemoVersion } from "../memos/read.ts";
import type { OutputStep, ProcessStep } from "../workflows/manifest.ts";
import { withHeartbeat } from "./call-model.ts";
import { valuesOf } from "./elements.ts";
import { TOOL_TIMEOUT_MS } from "./execute-limits.ts";
import { stillOurs } from "./fence.ts";
import { actionPart } from "./parts.ts";
import type { Plan } from "./plan.ts";
import type { Finished } from "./process-step.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";

/** What an action may take of an invocation. */
export const actionTimeoutMs = ({ policy }: Plan["manifest"]): number =>
  Math.min(policy.timeoutMs, TOOL_TIMEOUT_MS);

/**
 * The text of an output step's action. It is done when its inputs are there and kept before anything rests on it: a
 * repeat, and a later revision, finds the row and acts no second time.
 * @throws {AppError} tool_unavailable, step_timeout, and what the action throws
 */
export async function textOfAction(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  { step, name, finished }: { step: OutputStep; name: string; finished: Finished },
): Promise<string> {
  const part = actionPart(step.id);
  const left = await deps.runs.readPart(run.runId, part);
  if (left) return left.text;
  const action = Object.hasOwn(deps.actions, name) ? deps.actions[name] : undefined;
  if (!action) throw new AppError("tool_unavailable", `no action is registered as ${name}`, { name });
  const given = await givenTo(deps, run, plan, { step, finished });
  // What changes the world is begun by the one who has the run, and by nobody who only thinks so.
  await stillOurs(deps, run);
  const startedAt = deps.clock.now();
  const { runId, ownerUid, requestedBy, sessionId = null } = run;
  const at = { at: startedAt, runStartedAt: plan.startedAt, itemPlace: step.id };
  const context = { runId, ownerUid, requestedBy, sessionId, ...at };
  const timing = { stepId: step.id, timeoutMs: actionTimeoutMs(plan.manifest) };
  const { text } = await withHeartbeat(deps, run, timing, () => action.call(context, given));
  const ms = deps.clock.now() - startedAt;
  // The first row stays, whoever put it.
  const { row } = await deps.runs.putPart(runId, {
    part,
    text,
    stepId: step.id,
    action: name,
    startedAt,
    ms,
  });
  return row.text;
}

async function givenTo(
  deps: Pick<RunnerDeps, "memos">,
  run: Run,
  plan: Plan,
  { step, finished }: { step: OutputStep; finished: Finished },
) {
  const { source, trigger } = plan.manifest;
  const judging = judgingStep(plan, step);
  const row = judging && finished.get(judging.id);
  const said: unknown = row?.returns === "json" ? JSON.parse(row.text) : row?.text;
  const written = await readMemoVersion(deps, run.ownerUid, source.memoId, source.contentVersion);
  return {
    payload: plan.payload,
    elements: judging?.forEach ? valuesOf(judging.forEach.path, { plan, finished, step: judging }) : [],
    answers: judging?.forEach ? (said as unknown[]) : [said],
    model: row?.model ?? "",
    writtenBy: written?.writtenBy.kind ?? null,
    rehearsal: trigger.status === "staged",
  };
}

/** The process step whose output is written where there is no action. */
function judgingStep({ manifest }: Plan, step: OutputStep): ProcessStep | undefined {
  const processes = manifest.steps.filter((each) => each.kind === "process");
  return step.from === null ? processes.at(-1) : processes.find(({ id }) => id === step.from);
}
