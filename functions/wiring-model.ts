import * as z from "zod";
import { AppError } from "../lib/core/errors.ts";
import type { Model } from "../lib/model/model.ts";
import { createOfflineModel } from "../lib/model/offline-adapter.ts";

const Config = z.object({
  models: z.record(z.string(), z.object({ provider: z.string() })).default({}),
});

/** One factory for each provider; a provider's library is loaded when its first model is asked. */
const PROVIDERS: Record<string, () => Model> = {
  offline: createOfflineModel,
};

/**
 * The model of config.json (its JSON text; empty for none), chosen by the request's alias at its first call.
 * An alias that the config does not name is the offline writer.
 */
export function createModels(configJson: string): Model {
  const built = new Map<string, Model>();
  let config: z.infer<typeof Config> | undefined;

  const modelOf = (alias: string): Model => {
    const provider = (config ??= parseConfig(configJson)).models[alias]?.provider ?? "offline";
    const known = built.get(provider);
    if (known) return known;
    const create = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
    if (!create) {
      const allowed = Object.keys(PROVIDERS).join(", ");
      throw new AppError(
        "internal",
        `models.${alias}.provider is "${provider}" in config.json; known: ${allowed}`,
        {},
      );
    }
    const model = create();
    built.set(provider, model);
    return model;
  };

  return async (request) => modelOf(request.model)(request);
}

function parseConfig(configJson: string): z.infer<typeof Config> {
  if (configJson.trim() === "") return { models: {} };
  try {
    return Config.parse(JSON.parse(configJson));
  } catch (error) {
    throw new AppError("internal", "config.json is not a config: see its models", {}, { cause: error });
  }
}
