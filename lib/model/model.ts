import type { JsonSchema } from "./schema.ts";

/** One piece of what a step shows the model, in the order of the prompt: stable first, so that caches help. */
export type PromptPart = {
  kind: "gate" | "hook" | "trigger" | "search" | "payload" | "step" | "draft" | "revision" | "repair";
  /** The memo's title, the step's id, or what the part is. */
  title: string;
  text: string;
  memoId?: string;
  contentVersion?: number;
  score?: number;
};

/** A tool as the model is offered it, bound to the run it reads for. */
export type OfferedTool = {
  name: string;
  description: string;
  input: JsonSchema;
  call(input: unknown): Promise<string>;
};

/** One call of a process step. Everything in `parts` is data; only `instructions` and gates are the author's. */
export type ModelRequest = {
  runId: string;
  stepId: string;
  /** An alias (`small`, `default`, `large`) or a provider's full id. */
  model: string;
  instructions: string;
  parts: readonly PromptPart[];
  returns: "text" | "markdown" | "json";
  schema: JsonSchema | null;
  maxOutputTokens: number | null;
  temperature: number | null;
  /** Read-only; empty for most steps. */
  tools: readonly OfferedTool[];
  /** Most turns of the model, tool calls between them; 1 without tools. */
  maxTurns: number;
  /** Aborted when the runner loses its lease or the step its time. */
  signal: AbortSignal;
};

/** Disjoint token buckets: their sum is what was processed. `estimated` when the provider counted nothing. */
export type Usage = {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  estimated: boolean;
};

/** A refusal and a stop at the length limit are outcomes, shown on the step, not exceptions. */
export type ModelReply = {
  text: string;
  /** What answered, as the provider names it. */
  model: string;
  usage: Usage;
  stop: "end" | "length" | "refusal";
  /** Cost in millionths of a dollar; null when no price is known. */
  costMicroUsd: number | null;
};

/** The one way to a model; throws `model_failed`, `model_throttled` or `offline_cannot`. */
export type Model = (request: ModelRequest) => Promise<ModelReply>;

/** About how many tokens a text is: four UTF-8 bytes each, the usual figure for English prose. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text, "utf8") / 4);
