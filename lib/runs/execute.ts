import { AppError, ERRORS, hasCode, isAppError, storedError } from "../core/errors.ts";
import { SECOND_MS } from "../core/duration.ts";
import type { RunBell } from "../queue/doorbell.ts";
import type { Item } from "../queue/item.ts";
import { checkPeopleOnly } from "../workflow-files/people-only.ts";
import { isFileStep } from "../workflows/manifest.ts";
import { holdForBudget, allowedOnce } from "./budget-hold.ts";
import { pureSteps } from "./context.ts";
import { runContextStep } from "./context-step.ts";
import { MAX_HOPS, MAX_WAIT_SEC, RESERVE_MS, RETRYABLE } from "./execute-limits.ts";
import { fencedWrite } from "./fence.ts";
import { fileScope } from "./file-scope.ts";
import { runFileStep } from "./file-step.ts";
import { keepSteps } from "./keep-steps.ts";
import { fail, finish, intendApproved, land } from "./land.ts";
import { runOutputStep } from "./output-step.ts";
import { readFinishedSteps, readPlan, type Plan, type StepRow } from "./plan.ts";
import { runProcessStep } from "./process-step.ts";
import { asksForChanges, beginRevision } from "./revise.ts";
import { actionTimeoutMs } from "./run-action.ts";
import { isApproved, isRefused, isTerminal, laneOf, type Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { settle } from "./settle.ts";
import { startRun } from "./start.ts";
import { finishSuspend } from "./suspend.ts";
import { checkpoint, lease, release } from "./writes.ts";

/** ran: this runner had the run. refused: the ticket is not for now; nothing was written but what was half-done. */
export type TicketOutcome = "ran" | "refused";

/** Follows one doorbell: one lease, then the run's steps until it is held, ended, or continued by another. */
export async function runTicket(deps: RunnerDeps, bell: RunBell): Promise<TicketOutcome> {
  const leaseOwner = deps.ids("lease");
  let run = await deps.runs.writeHead(bell.runId, lease(bell.epoch, leaseOwner, deps.clock.now()));
  if (!run) {
    const head = await deps.runs.readHead(bell.runId);
    // The lease's answer was lost: the repeat failed against our own write.
    if (head?.leaseOwner === leaseOwner) run = head;
    else {
      if (head) await finishEnding(deps, head);
      return "refused";
    }
  }
  try {
    await followOrFail(deps, run);
  } catch (error) {
    // Somebody else has the run, or it was cancelled: write nothing.
    if (!hasCode(error, "lease_lost")) throw error;
  }
  return "ran";
}

async function followOrFail(deps: RunnerDeps, run: Run): Promise<void> {
  try {
    await follow(deps, run);
  } catch (error) {
    if (hasCode(error, "lease_lost")) throw error;
    await handleFailure(deps, run, error);
  }
}

/** A rejected or settling run needs no lease to be finished, and a bell is a good moment to do it. */
async function finishEnding(deps: RunnerDeps, head: Run): Promise<void> {
  if (isTerminal(head)) return;
  if (isRefused(head)) return settle(deps, head, "cancelled");
  if (head.status === "settling") return settle(deps, head, head.outcome);
}

async function follow(deps: RunnerDeps, leased: Run): Promise<void> {
  let run = leased;
  if (run.intent) return land(deps, run);
  if (isApproved(run)) return land(deps, await intendApproved(deps, run));
  const item = await readOwnItem(deps, run);
  const plan = (await readPlan(deps.runs, run.runId)) ?? (await newPlan(deps, run, item));
  if (asksForChanges(run)) run = await beginRevision(deps, run, plan);
  const known = new Map<string, StepRow>();
  for (;;) {
    const step = plan.manifest.steps[run.step];
    // A workflow file that lands nothing ends with its last step.
    if (!step) return finish(deps, run);
    if (step.kind === "trigger" || run.step < pureSteps(plan.manifest)) {
      run = await passPureSteps(deps, run, plan);
      continue;
    }
    if (isFileStep(step)) {
      const finished = await readFinishedSteps(deps.runs, run, plan, known);
      const outcome = await runFileStep(deps, run, plan, { step, index: run.step, item, finished });
      if (!outcome.run) {
        const { delaySec, wrote } = outcome;
        const cameForward = wrote || run.step > leased.step;
        return letGo(deps, { ...run, hops: cameForward ? 0 : run.hops }, { tries: run.tries, delaySec });
      }
      run = outcome.run;
      continue;
    }
    const finished = await readFinishedSteps(deps.runs, run, plan, known);
    if (step.kind === "context") {
      run = await runContextStep(deps, run, plan, { step, index: run.step, finished });
      continue;
    }
    if (step.kind === "process") {
      if (deps.remainingMs() < plan.manifest.policy.timeoutMs + RESERVE_MS) {
        return letGo(deps, run, { tries: run.tries, delaySec: 0 });
      }
      const allowance = await allowedOnce(deps.runs, run, step.id);
      const given = { step, index: run.step, item, finished, allowance };
      const done = await runProcessStep(deps, run, plan, given);
      if (!done) return letGo(deps, run, { tries: run.tries, delaySec: 0 });
      run = done;
      continue;
    }
    if (step.action !== null && deps.remainingMs() < actionTimeoutMs(plan.manifest) + RESERVE_MS) {
      return letGo(deps, run, { tries: run.tries, delaySec: 0 });
    }
    const output = await runOutputStep(deps, run, plan, { step, item, finished });
    if (output.next === "intended") return land(deps, output.run);
    if (output.next === "held" && output.run.status === "suspending") return finishSuspend(deps, output.run);
    return output.next === "staged" ? settle(deps, output.run, "done") : undefined;
  }
}

async function newPlan(deps: RunnerDeps, run: Run, item: Item): Promise<Plan> {
  const peopleOnly = deps.peopleOnly(run.workflowId);
  if (peopleOnly.length > 0) checkPeopleOnly(run.requestedBy.kind, fileScope(item).input, peopleOnly);
  return item.forkOf ? keepSteps(deps, run, item.forkOf) : startRun(deps, run, item);
}

/** W2 for trigger and context together, whose findings the plan's row holds, or for all that a fork keeps. */
async function passPureSteps(deps: RunnerDeps, run: Run, plan: Plan): Promise<Run> {
  const next = plan.kept?.step ?? pureSteps(plan.manifest);
  const rows = plan.kept?.rows ?? Array.from({ length: next }, () => "");
  const write = checkpoint(run.epoch, { step: next, rows }, deps.clock.now());
  return fencedWrite(deps.runs, run, write, (head) => head.epoch === run.epoch && head.step === next);
}

async function readOwnItem(deps: RunnerDeps, run: Run): Promise<Item> {
  const item = await deps.queue.readItem(laneOf(run), run.itemKey);
  if (item?.generation === run.generation) return item;
  throw new AppError("internal", `the item of run ${run.runId} has moved on`, {});
}

/** The runner lets go; the next ticket of the same epoch goes on, by another invocation or after a wait. */
async function letGo(deps: RunnerDeps, run: Run, next: { tries: number; delaySec: number }): Promise<void> {
  const { runId, epoch } = run;
  const hops = run.hops + 1;
  if (hops > MAX_HOPS) {
    const error = new AppError("hop_limit", `run ${runId} was continued ${run.hops} times`, {
      runId,
      hops: run.hops,
    });
    return fail(deps, run, storedError(error, deps.clock.now()));
  }
  const write = release(epoch, { hops, tries: next.tries }, deps.clock.now());
  await fencedWrite(deps.runs, run, write, (head) => head.epoch === epoch && head.leaseOwner === undefined);
  await deps.doorbells.ringRuns([{ runId, epoch, ...(next.delaySec > 0 && { delaySec: next.delaySec }) }]);
}

/**
 * A model that failed is tried again after a growing wait, within the policy's retries; a throttle does not
 * count. A store that does not answer leaves the run to the next ticket. Everything else ends the run.
 */
async function handleFailure(deps: RunnerDeps, leased: Run, error: unknown): Promise<void> {
  const run = await deps.runs.readHead(leased.runId);
  if (run?.status !== "running" || run.epoch !== leased.epoch) return;
  const known = isAppError(error) ? error : undefined;
  if (known && RETRYABLE.has(known.code)) {
    const retries = (await readPlan(deps.runs, run.runId))?.manifest.policy.retries ?? 0;
    const tries = known.code === "model_throttled" ? run.tries : run.tries + 1;
    const delaySec = hasCode(known, "model_throttled")
      ? throttledSec(known.details.retryAfterMs, run.hops, deps.random())
      : backoffSec(tries, deps.random());
    if (tries <= retries) return letGo(deps, run, { tries, delaySec });
  } else if (known && ERRORS[known.code].disposition === "retry") {
    return letGo(deps, run, { tries: run.tries, delaySec: backoffSec(1, deps.random()) });
  }
  if (hasCode(error, "budget_exhausted")) {
    const plan = await readPlan(deps.runs, run.runId);
    if (plan) return holdForBudget(deps, run, plan, error);
  }
  // After the intent nothing but a landing or a lost compare-and-set may end the run: recover goes on with it.
  if (run.intent) throw error;
  return fail(deps, run, storedError(error, deps.clock.now()));
}

/** 2, 4, 8 … seconds, at most a minute, with up to half of it in jitter. */
function backoffSec(tries: number, random: number): number {
  const base = Math.min(60, 2 ** Math.max(1, tries));
  return Math.ceil(base / 2 + (base / 2) * random);
}

/** At least what the provider asked for; without that it grows with each time that the run was let go. */
function throttledSec(retryAfterMs: number | null, hops: number, random: number): number {
  const askedSec = retryAfterMs === null ? 0 : Math.ceil(retryAfterMs / SECOND_MS + random);
  return Math.min(MAX_WAIT_SEC, Math.max(askedSec, backoffSec(hops + 1, random)));
}
