import { AppError } from "../lib/core/errors.ts";
import { modelConfigOf, modelNames, parseConfig, type Config } from "../lib/model/config.ts";
import { createConfiguredModel, type KeyOf } from "../lib/model/configured-model.ts";
import type { Model } from "../lib/model/model.ts";
import { secretEnv } from "./env.ts";

/**
 * The model of config.json (its JSON text; empty for none), chosen at its first call by the request's alias or
 * full model id. Keys are read under the names that the config gives.
 */
export function createModels(configJson: string, keyOf: KeyOf = secretEnv): Model {
  const built = new Map<string, Model>();
  let config: Config | undefined;

  const modelOf = (name: string): Model => {
    const known = built.get(name);
    if (known) return known;
    config ??= parseConfig(configJson);
    const entry = modelConfigOf(config, name);
    if (!entry) {
      const allowed = modelNames(config).join(", ");
      throw new AppError("internal", `config.json has no model "${name}"; it has ${allowed}`, {});
    }
    const model = createConfiguredModel(config, entry, keyOf);
    built.set(name, model);
    return model;
  };

  return async (request) => modelOf(request.model)(request);
}
