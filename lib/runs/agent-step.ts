import { hasCode, type AppError } from "../core/errors.ts";
import { isReference, project, type FileScope } from "../workflow-files/reference.ts";
import type { AgentStep, ProcessStep } from "../workflows/manifest.ts";
import { askModel, newTrail } from "./ask-model.ts";
import { createDayLimits } from "./day-limits.ts";
import { OF_ONE_ANSWER } from "./for-each.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { sumSpent, type Spent } from "./spent.ts";
import { createBudget, type Allowance } from "./step-budget.ts";
import { asking, rowOfTrail } from "./step-work.ts";

/** The agent with the model that its reference names now; the policy's where it names none. */
export function agentIn(agent: AgentStep, scope: FileScope): AgentStep {
  if (agent.model === null || !isReference(agent.model)) return agent;
  const model = project(agent.model, scope);
  return { ...agent, model: typeof model === "string" && model !== "" ? model : null };
}

/** What an agent step asks, and of which place in its step it is: null for a step without items. */
export type AgentQuestion = { agent: AgentStep; input: unknown; element: number | null };

/** An answer as its row holds it; `fault` says why it cannot be used. */
export type AgentAnswer = ReturnType<typeof rowOfTrail> & {
  returns: "json";
  fault: AppError | null;
};

/**
 * Asks for the agents of one step, all within one budget. An agent's prompt is the author's; its input is one part
 * of data beside it. It has no tools.
 */
export function createAsker(
  deps: RunnerDeps,
  run: Run,
  plan: Plan,
  given: { stepId: string; index: number; spent: readonly Spent[]; allowance: Allowance },
) {
  const { policy } = plan.manifest;
  const { index, allowance } = given;
  const budget = createBudget({
    limit: policy.budget.run,
    spent: sumSpent(given.spent),
    price: deps.pricingOf(policy.model).price,
    recoveries: run.recoveries,
    allowance,
    days: createDayLimits(deps, run, { index, day: policy.budget.day, allowance }),
  });
  /** @throws {AppError} budget_exhausted, and what a call throws; with `mayFail` not what is wrong with one answer */
  return async (
    { agent, input, element }: AgentQuestion,
    { mayFail }: { mayFail: boolean },
  ): Promise<AgentAnswer> => {
    const model = agent.model ?? policy.model;
    const pricing = deps.pricingOf(model);
    const trail = newTrail(pricing, deps.clock.now(), element);
    const prompt = {
      instructions: agent.instructions,
      parts: [{ kind: "payload" as const, title: "input", text: JSON.stringify(input) ?? "null" }],
    };
    const question = { step: asProcess(agent), model, pricing, prompt, timeoutMs: policy.timeoutMs, budget };
    const work = { run, plan, index, step: { id: given.stepId } };
    const fault = await asking(deps, work, trail, async () => {
      const asked = await askModel(deps, run, question, trail);
      const isOfOneAnswer = OF_ONE_ANSWER.some((code) => hasCode(asked.fault, code));
      if (asked.fault && !(mayFail && isOfOneAnswer)) throw asked.fault;
      return asked.fault;
    });
    const row = rowOfTrail(trail);
    const text = fault ? "" : JSON.stringify({ text: row.text, model: row.model });
    return { ...row, returns: "json", text, fault };
  };
}
export type Asker = ReturnType<typeof createAsker>;

/** An agent's question in the form of a process step's: a text comes back, and nothing is offered. */
export function asProcess({ id, instructions, refs, loc, model, maxOutputTokens }: AgentStep): ProcessStep {
  return {
    id,
    instructions,
    refs,
    loc,
    model,
    maxOutputTokens,
    kind: "process",
    returns: "text",
    schema: null,
    temperature: null,
    tools: [],
    maxTurns: 1,
    uses: [],
    forEach: null,
  };
}
