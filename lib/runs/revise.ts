import { AppError } from "../core/errors.ts";
import type { PromptPart } from "../model/model.ts";
import type { Manifest } from "../workflows/manifest.ts";
import { fencedWrite } from "./fence.ts";
import { revise } from "./gate-writes.ts";
import { gatesOf } from "./hold-history.ts";
import { readProposal } from "./output-step.ts";
import { reasonPart } from "./parts.ts";
import type { Plan } from "./plan.ts";
import { nthHold, type Gate, type Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { RunStore } from "./store.ts";

/** Whether changes were asked for and the revision that makes them has not begun. */
export const asksForChanges = ({ gate, revision }: Run): boolean =>
  gate?.decision?.verdict === "request_changes" && gate.revision === revision;

/** V1: the revision begins at the step that wrote the proposal; what follows it is done again as well. */
export async function beginRevision(deps: RunnerDeps, run: Run, { manifest }: Plan): Promise<Run> {
  const gate = run.gate!;
  const step = sourceIndexOf(manifest, gate.stepId);
  if (step === undefined) throw new AppError("internal", `step ${gate.stepId} is written by no step`, {});
  const { holdId, revision } = gate;
  const back = { holdId, revision, step, rows: run.rows.slice(0, step) };
  return fencedWrite(deps.runs, run, revise(run.epoch, back, deps.clock.now()), (head) => {
    return head.epoch === run.epoch && head.status === "running" && head.revises === nthHold(holdId);
  });
}

/** The step whose output an output step writes: its `from`, else the last process step. */
export function sourceIndexOf({ steps }: Pick<Manifest, "steps">, outputId: string): number | undefined {
  const output = steps.find(({ id }) => id === outputId);
  const from = output?.kind === "output" ? output.from : null;
  const index =
    from === null
      ? steps.findLastIndex(({ kind }) => kind === "process")
      : steps.findIndex(({ id }) => id === from);
  return index === -1 ? undefined : index;
}

/** How often changes may still be asked for. */
export const revisionsLeft = (run: Pick<Run, "revision">, { manifest }: Pick<Plan, "manifest">): number =>
  Math.max(0, manifest.policy.onChangesRequested.max - (run.revision - 1));

/**
 * What a revision's first step sees beside its usual prompt: what was wanted changed earlier, the draft that was
 * rejected last, and why. At the end of the prompt, so that all before it is as it was.
 */
export async function revisionParts(
  runs: RunStore,
  run: Run,
  { manifest }: Plan,
  index: number,
): Promise<PromptPart[]> {
  if (run.revises === undefined) return [];
  const asked = (await gatesOf(runs, run)).filter(
    ({ decision, revision }) => decision?.verdict === "request_changes" && revision < run.revision,
  );
  const last = asked.find(({ holdId }) => nthHold(holdId) === run.revises);
  if (!last || sourceIndexOf(manifest, last.stepId) !== index) return [];
  const reasons = await Promise.all(asked.map((gate) => reasonPartOf(runs, run.runId, gate)));
  const draft = await readProposal(runs, run.runId, last);
  if (!draft) throw new AppError("internal", `the draft of ${last.holdId} is missing`, {});
  const rejected: PromptPart = { kind: "draft", title: `rejected draft ${last.revision}`, text: draft.text };
  return [...reasons.slice(0, -1), rejected, ...reasons.slice(-1)];
}

async function reasonPartOf(
  runs: RunStore,
  runId: string,
  { revision, decision }: Gate,
): Promise<PromptPart> {
  const row = decision && (await runs.readPart(runId, reasonPart(decision)));
  const title = `what a reviewer wants changed in draft ${revision}`;
  return { kind: "revision", title, text: row?.text ?? "" };
}
