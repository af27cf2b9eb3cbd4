import type { FunctionTool } from "./language-model.ts";
import type { ModelRequest } from "./model.ts";
import type { Provider } from "./provider.ts";
import { typesOf } from "./check-schema.ts";
import type { JsonSchema } from "./schema.ts";

/** The tool that a model answers with when it is held to a schema by a tool. */
export const ANSWER_TOOL = "answer";

/** How one request is held to its schema; `shown` is in the prompt, whatever else the provider does. */
export type JsonForm = {
  mode: "none" | "native" | "tool" | "prompt";
  schema: JsonSchema | null;
  /** Providers take objects only at the root; another value travels in a member of one. */
  wrapped: boolean;
  shown: boolean;
};

const NONE: JsonForm = { mode: "none", schema: null, wrapped: false, shown: false };
const MEMBER = "value";

export function jsonFormOf(
  { returns, schema }: Pick<ModelRequest, "returns" | "schema">,
  provider: Pick<Provider, "json" | "name">,
): JsonForm {
  if (returns !== "json") return NONE;
  if (schema === null || provider.json === "prompt") return { ...NONE, mode: "prompt", shown: true };
  const wrapped = !typesOf(schema).includes("object");
  return {
    mode: provider.json,
    schema: wrapped
      ? {
          type: "object",
          properties: { [MEMBER]: schema },
          required: [MEMBER],
          additionalProperties: false,
        }
      : schema,
    wrapped,
    // Servers that speak OpenAI's protocol differ in whether they enforce a schema; one that ignores it reads it.
    shown: provider.json === "native" && provider.name === "openai-compatible" && !wrapped,
  };
}

/** The tool whose input is the answer. */
export const answerTool = (schema: JsonSchema): FunctionTool => ({
  type: "function",
  name: ANSWER_TOOL,
  description: "Give the answer of this step.",
  inputSchema: schema,
});

/** The JSON text of an answer: without a fence around it, and out of its member. What is no JSON stays as it is. */
export function jsonTextOf(text: string, { wrapped }: Pick<JsonForm, "wrapped">): string {
  const bare = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(text)?.[1] ?? text;
  if (!wrapped) return bare.trim();
  try {
    const value = JSON.parse(bare) as unknown;
    if (typeof value === "object" && value !== null && MEMBER in value) return JSON.stringify(value[MEMBER]);
  } catch {
    // The step finds out what is wrong with it, and asks once more.
  }
  return bare.trim();
}
