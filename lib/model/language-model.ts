import type { LanguageModel as AnyLanguageModel } from "ai";

/**
 * What every provider of the AI SDK implements. Its libraries are called at this level, without the SDK's own
 * loop: that would add 0.3 MB to the runner, for turns whose end we have to decide ourselves.
 */
export type LanguageModel = Extract<AnyLanguageModel, { specificationVersion: "v4" }>;

export type CallOptions = Parameters<LanguageModel["doGenerate"]>[0];
export type Generated = Awaited<ReturnType<LanguageModel["doGenerate"]>>;
export type Prompt = CallOptions["prompt"];
export type Content = Generated["content"][number];
export type ToolCall = Extract<Content, { type: "tool-call" }>;
export type FunctionTool = Extract<NonNullable<CallOptions["tools"]>[number], { type: "function" }>;
export type AssistantMessage = Extract<Prompt[number], { role: "assistant" }>;
export type ToolMessage = Extract<Prompt[number], { role: "tool" }>;
export type ToolResult = Extract<ToolMessage["content"][number], { type: "tool-result" }>;
