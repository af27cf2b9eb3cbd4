import { createWorkflowLibrary, REGISTRY, type Registry } from "../lib/intake/workflow-library.ts";
import { createCatalog } from "../lib/memos/catalog.ts";
import { createMemoStore } from "../lib/memos/store.ts";
import { modelNames, parseConfig, pricedModels, windowTokensOf } from "../lib/model/config.ts";
import { estimateTokens } from "../lib/model/model.ts";
import { BUNDLED } from "./bundled-workflows.ts";
import { ENV, optionalEnv } from "./env.ts";
import type { Wiring } from "./wiring.ts";

/** The memos of a library, its list in memory, and its workflows; with `sizes` they say how large their gates are. */
export function libraryOf({ doc, env, clock }: Wiring, { sizes = false } = {}) {
  const memos = createMemoStore(doc, { memos: env(ENV.memosTable), control: env(ENV.controlTable) });
  const catalog = createCatalog({ memos, clock });
  return {
    memos,
    catalog,
    workflows: createWorkflowLibrary({
      memos,
      catalog,
      clock,
      registry: registryOf(),
      bundled: BUNDLED,
      ...(sizes && { sizeOf: estimateTokens }),
    }),
  };
}

/** What a workflow may name here: the deployment's own models, and which of them have a price. */
function registryOf(): Registry {
  const config = parseConfig(optionalEnv(ENV.config) ?? "");
  return {
    ...REGISTRY,
    models: modelNames(config),
    pricedModels: pricedModels(config),
    windowTokens: (model) => windowTokensOf(config, model),
  };
}
