import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "./language-model.ts";

/** A model of any server that speaks OpenAI's chat completions; without a key none is sent. */
export function openaiCompatibleModel(
  modelId: string,
  settings: { apiKey?: string; baseURL: string },
): LanguageModel {
  return createOpenAICompatible({ name: "openaiCompatible", supportsStructuredOutputs: true, ...settings })(
    modelId,
  );
}
