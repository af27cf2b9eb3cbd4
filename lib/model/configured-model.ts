import { createAiSdkModel } from "./ai-sdk-adapter.ts";
import { keyEnvOf, priceOf, type Config, type ModelConfig, type RemoteModelConfig } from "./config.ts";
import type { LanguageModel } from "./language-model.ts";
import type { Model } from "./model.ts";
import { createOfflineModel } from "./offline-adapter.ts";

/** The value of the variable with this name; undefined when it is not set. */
export type KeyOf = (name: string) => string | undefined;

/** A model as config.json describes it. Its provider's library is loaded at the first call. */
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
    load: () => load(entry, apiKey),
  });
}

async function load(entry: RemoteModelConfig, apiKey: string | undefined): Promise<LanguageModel> {
  const key = apiKey === undefined ? {} : { apiKey };
  const address = entry.baseUrl === undefined ? {} : { baseURL: entry.baseUrl };
  switch (entry.provider) {
    case "bedrock": {
      const { bedrockModel } = await import("./bedrock-adapter.ts");
      const region = entry.region === undefined ? {} : { region: entry.region };
      return bedrockModel(entry.model, { ...key, ...address, ...region });
    }
    case "anthropic": {
      const { anthropicModel } = await import("./anthropic-adapter.ts");
      return anthropicModel(entry.model, { ...key, ...address });
    }
    case "openai-compatible": {
      const { openaiCompatibleModel } = await import("./openai-compatible-adapter.ts");
      return openaiCompatibleModel(entry.model, { ...key, baseURL: entry.baseUrl });
    }
  }
}
