import { canonicalJson } from "../core/canonical-json.ts";
import type { Clock } from "../core/clock.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { digestOf } from "../core/ids.ts";
import { truncate } from "../core/text.ts";
import type { ReadContext, Tool } from "../core/tool.ts";
import { schemaFailures } from "../model/check-schema.ts";
import { estimateTokens, type OfferedTool } from "../model/model.ts";
import type { Reservation } from "./step-budget.ts";

/** Longest result that a model is given of one call. */
export const TOOL_RESULT_MAX_LENGTH = 20_000;
/** Most calls of one step, whatever its turns: a model may ask many at once. */
const MAX_TOOL_CALLS = 100;

/** One call of a tool as the run remembers it: no arguments and no texts, so that a hundred calls stay small. */
export type ToolUse = {
  name: string;
  /** Tells equal arguments from unequal ones. */
  argsDigest: string;
  ms: number;
  /** Length of what the model was given. */
  chars: number;
  /** `ok`, `cut`, or what was wrong. */
  outcome: string;
};

/**
 * The step's tools, bound to the run they read for. A call never throws: what went wrong is told to the model.
 * Each further turn shows the prompt again, so it is taken out of the budget; when nothing is left the model is
 * asked to answer with what it has.
 */
export function offerTools(
  deps: { tools: Readonly<Record<string, Tool>>; clock: Clock },
  names: readonly string[],
  given: {
    context: Omit<ReadContext, "at">;
    uses: ToolUse[];
    promptTokens: number;
    reservation(): Reservation | undefined;
  },
): OfferedTool[] {
  let resultTokens = 0;
  const tools = names.map((name) => {
    const tool = Object.hasOwn(deps.tools, name) ? deps.tools[name] : undefined;
    if (!tool) throw new AppError("internal", `no tool is called ${name} here`, {});
    return tool;
  });

  async function answer(tool: Tool, input: unknown): Promise<{ text: string; outcome: string }> {
    if (given.uses.length >= MAX_TOOL_CALLS) {
      return { text: "There are no more tool calls for this step: answer now.", outcome: "too_many" };
    }
    if ((await given.reservation()?.extend(given.promptTokens + resultTokens)) === false) {
      const text = "The budget of this run is spent: answer now with what you have.";
      return { text, outcome: "budget_exhausted" };
    }
    const failing = schemaFailures(tool.input, input);
    if (failing.length > 0) {
      const places = failing.map(({ pointer, message }) => `${pointer || "/"} ${message}`).join("; ");
      return { text: `The arguments do not fit: ${places}`, outcome: "invalid_request" };
    }
    try {
      const text = await tool.call({ ...given.context, at: deps.clock.now() }, input);
      if (text.length <= TOOL_RESULT_MAX_LENGTH) return { text, outcome: "ok" };
      const note = `\n(cut: the first ${TOOL_RESULT_MAX_LENGTH} of ${text.length} characters)`;
      return { text: truncate(text, TOOL_RESULT_MAX_LENGTH - note.length) + note, outcome: "cut" };
    } catch (error) {
      const known = isAppError(error) ? error : undefined;
      return { text: known?.message ?? "The tool failed.", outcome: known?.code ?? "failed" };
    }
  }

  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input: tool.input,
    async call(input) {
      const startedAt = deps.clock.now();
      const use: ToolUse = {
        name: tool.name,
        argsDigest: digestOf([canonicalJson(input ?? null)]),
        ms: 0,
        chars: 0,
        outcome: "ok",
      };
      const { text, outcome } = await answer(tool, input);
      resultTokens += estimateTokens(text);
      given.uses.push({ ...use, ms: deps.clock.now() - startedAt, chars: text.length, outcome });
      return text;
    },
  }));
}
