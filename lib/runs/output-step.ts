import type { FrozenProposal } from "../holds/proposal.ts";
import type { Item } from "../queue/item.ts";
import { needsHold } from "../workflows/condition.ts";
import type { OutputStep } from "../workflows/manifest.ts";
import { fencedWrite } from "./fence.ts";
import { freezeProposal } from "./freeze.ts";
import { openHold } from "./open-hold.ts";
import { proposalPart } from "./parts.ts";
import { scopeOf, type Plan } from "./plan.ts";
import type { Finished } from "./process-step.ts";
import { textOfAction } from "./run-action.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { RunStore } from "./store.ts";
import { intend, recordStaged } from "./writes.ts";

/** held: a person decides. intended: the policy lets it land by itself. staged: it ends here, with nothing written. */
export type OutputOutcome = { next: "held" | "intended" | "staged"; run: Run };

/** The output step: what its action gives, if it has one, then the proposal's row (W3), then the gate (H1) or the intent (I1) that names its sha. */
export async function runOutputStep(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  given: { step: OutputStep; item: Item; finished: Finished },
): Promise<OutputOutcome> {
  const { step, finished } = given;
  const name = step.action;
  const acted = name === null ? null : await textOfAction(deps, run, plan, { step, name, finished });
  const frozen = await freezeProposal(deps, run, plan, { ...given, acted });
  await putProposal(deps.runs, run.runId, frozen);
  const { stepId, revision, sha256 } = frozen;
  const at = deps.clock.now();
  if (plan.manifest.trigger.status === "staged") {
    const write = recordStaged(run.epoch, { stepId, revision, sha256 }, at);
    const staged = await fencedWrite(deps.runs, run, write, (head) => {
      return head.epoch === run.epoch && head.staged?.sha256 === sha256;
    });
    return { next: "staged", run: staged };
  }
  if (!needsPerson(plan, given.finished, frozen)) {
    const write = intend(run.epoch, { stepId, revision, sha256 }, "auto", at);
    const intended = await fencedWrite(deps.runs, run, write, (head) => {
      return head.epoch === run.epoch && head.intent?.sha256 === sha256;
    });
    return { next: "intended", run: intended };
  }
  const held = await openHold(deps, run, plan, { kind: "output", stepId, revision, sha256 });
  return { next: "held", run: held };
}

/** Hold by policy, by its `unless` clause, or because a guard failed: doubt always becomes a hold. */
function needsPerson(plan: Plan, finished: Finished, frozen: FrozenProposal): boolean {
  if (frozen.guards.some(({ passed }) => !passed)) return true;
  return needsHold(plan.manifest.policy.approval, scopeOf(plan, finished)).hold;
}

/** W3, D1. */
export async function putProposal(
  runs: RunStore,
  runId: string,
  { text, ...fields }: FrozenProposal,
): Promise<void> {
  // The same sha is the same bytes: a row that is there is this one.
  await runs.putPart(runId, {
    part: proposalPart(fields.stepId, fields.revision, fields.sha256),
    text,
    ...fields,
  });
}

/** The frozen proposal that a gate or an intent names. */
export async function readProposal(
  runs: RunStore,
  runId: string,
  named: { stepId: string; revision: number; sha256: string },
): Promise<FrozenProposal | undefined> {
  const row = await runs.readPart(runId, proposalPart(named.stepId, named.revision, named.sha256));
  if (!row) return undefined;
  const { part: _part, runId: _runId, ...proposal } = row;
  return proposal as unknown as FrozenProposal;
}
