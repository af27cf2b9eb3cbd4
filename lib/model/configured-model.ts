import { createAiSdkModel } from "./ai-sdk-adapter.ts";
import { anthropicModel } from "./anthropic-adapter.ts";
import { bedrockModel } from "./bedrock-adapter.ts";
import { keyEnvOf, priceOf, type Config, type ModelConfig, type RemoteModelConfig } from "./config.ts";
import type { LanguageModel } from "./language-model.ts";
import type { Model } from "./model.ts";
import { createOfflineModel } from "./offline-adapter.ts";
import { openaiCompatibleModel } from "./openai-compatible-adapter.ts";

/** The value of the variable with this name; undefined when it is not set. */
export type KeyOf = (name: string) => string | undefined;

/** A model as config.json describes it. */
export function createConfiguredModel(config: Config, entry: ModelConfig, keyOf: KeyOf): Model {
  if (entry.provider === "offline") return createOfflineModel();
  const keyEnv = keyEnvOf(entry);
  const apiKey = keyEnv === undefined ? undefined : keyOf(keyEnv);
  return createAiSdkModel({
    name: entry.provider,
    modelId: entry.model,
    key: keyEnv === undefined ? null : { env: keyEnv, isSet: apiKey !== undefined },
    region: entry.provider === "bedrock" ? (entry.region ?? null) : null,
    window: entry.window ?? null,
    price: priceOf(config, entry),
    json: entry.json ?? "native",
    usage: entry.usage ?? "reported",
    // Bedrock's library forbids tools by taking them away, and then the answers of earlier calls too.
    mayForbidTools: entry.provider !== "bedrock",
    model: languageModel(entry, apiKey),
  });
}

// Imported at once and not when first asked: inside the one file of a bundle a lazy import saves no time (324 ms of
// processor for the runner, 314 without), and the bundler then runs zod, which providers share with us, too late.
function languageModel(entry: RemoteModelConfig, apiKey: string | undefined): LanguageModel {
  const key = apiKey === undefined ? {} : { apiKey };
  const address = entry.baseUrl === undefined ? {} : { baseURL: entry.baseUrl };
  switch (entry.provider) {
    case "bedrock": {
      const region = entry.region === undefined ? {} : { region: entry.region };
      return bedrockModel(entry.model, { ...key, ...address, ...region });
    }
    case "anthropic":
      return anthropicModel(entry.model, { ...key, ...address });
    case "openai-compatible":
      return openaiCompatibleModel(entry.model, { ...key, baseURL: entry.baseUrl });
  }
}
