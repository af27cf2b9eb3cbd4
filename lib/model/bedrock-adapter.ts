import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { LanguageModel } from "./language-model.ts";

/** A model of Bedrock; without a key it signs with the credentials of the function's role. */
export function bedrockModel(
  modelId: string,
  settings: { apiKey?: string; baseURL?: string; region?: string },
): LanguageModel {
  return createAmazonBedrock(settings)(modelId);
}
