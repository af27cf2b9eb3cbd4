import { AppError, isAppError } from "../core/errors.ts";
import { truncate } from "../core/text.ts";
import type { ToolOutcome } from "../core/registered.ts";
import { project, type FileScope } from "../workflow-files/reference.ts";
import type { FileStep, NestedStep } from "../workflows/manifest.ts";
import { withHeartbeat } from "./call-model.ts";
import { MAX_WAIT_SEC, RESERVE_MS, TOOL_TIMEOUT_MS } from "./execute-limits.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";

type Registered = Extract<NestedStep, { kind: "tool" | "transform" }>;

const FAULT_MAX_LENGTH = 500;

/** The time that a step needs of an invocation: less is left to the next one. */
export function needMs(step: FileStep, { manifest }: Plan): number {
  if (step.kind === "agent") return manifest.policy.timeoutMs + RESERVE_MS;
  return step.kind === "tool" ? toolTimeoutMs(manifest) + RESERVE_MS : RESERVE_MS;
}

const toolTimeoutMs = ({ policy }: Plan["manifest"]): number => Math.min(policy.timeoutMs, TOOL_TIMEOUT_MS);

/** How long a tool may have itself waited for. */
export const waitSec = ({ againAfterSec }: { againAfterSec: number }): number =>
  Math.min(MAX_WAIT_SEC, Math.max(1, Math.ceil(againAfterSec)));

/**
 * Calls what a step names, with its input as the references give it. Of a tool all repeats have the same place.
 * @throws {AppError} tool_unavailable, transform_failed, step_timeout, and what the tool throws
 */
export async function callRegistered(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  { step, scope, itemPlace }: { step: Registered; scope: FileScope; itemPlace: string },
): Promise<ToolOutcome> {
  const input = project(step.input, scope);
  const { runId, ownerUid, requestedBy } = run;
  const of = { runId, ownerUid, sessionId: run.sessionId ?? null, requestedBy };
  if (step.kind === "transform") {
    const transform = named(deps.registered.transforms, step.transform);
    try {
      return { value: transform(input, { nowMs: plan.startedAt, run: of }) };
    } catch (error) {
      if (isAppError(error)) throw error;
      const why = error instanceof Error ? error.message : "it threw no error";
      const message = `step ${step.id}: ${truncate(why, FAULT_MAX_LENGTH)}`;
      throw new AppError("transform_failed", message, { stepId: step.id }, { cause: error });
    }
  }
  const tool = named(deps.registered.tools, step.tool);
  const context = {
    ...of,
    itemPlace,
    at: deps.clock.now(),
    runStartedAt: plan.startedAt,
  };
  const timeoutMs = toolTimeoutMs(plan.manifest);
  return withHeartbeat(deps, run, { stepId: step.id, timeoutMs }, () => tool.call(context, input));
}

function named<T>(registered: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(registered, name) ? registered[name] : undefined;
  if (found === undefined)
    throw new AppError("tool_unavailable", `nothing is registered as ${name}`, { name });
  return found;
}
