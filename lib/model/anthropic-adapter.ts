import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModel } from "./language-model.ts";

/** A model of Anthropic's own service. */
export function anthropicModel(
  modelId: string,
  settings: { apiKey?: string; baseURL?: string },
): LanguageModel {
  return createAnthropic(settings)(modelId);
}
