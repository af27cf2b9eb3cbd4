import * as z from "zod";
import { AppError } from "../core/errors.ts";

/** Dollars for a million tokens, which is millionths of a dollar for one. */
const UsdPerMillion = z.number().min(0);

export const Price = z.strictObject({
  input: UsdPerMillion,
  output: UsdPerMillion,
  /** What a provider without a price for its cache takes is the price of input. */
  cacheRead: UsdPerMillion.optional(),
  cacheWrite: UsdPerMillion.optional(),
  /** The day on which somebody looked. */
  asOf: z.iso.date({ error: 'must be a day such as "2026-05-01"' }),
});
export type Price = z.infer<typeof Price>;

/** A message of its own, since zod's would show the value: people paste the key itself here. */
const KeyEnv = z.string().regex(/^[A-Z][A-Z0-9_]*$/, {
  error:
    "must be the name of an environment variable, such as ANTHROPIC_API_KEY; a key does not belong in this file",
});

const BaseUrl = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

const remote = {
  model: z.string().min(1),
  /** The variable that holds the key. */
  keyEnv: KeyEnv.optional(),
  baseUrl: BaseUrl.optional(),
  /** Tokens that a prompt and its answer may have together; not checked when it is not known. */
  window: z.int().positive().optional(),
  /** For a server of your own; otherwise the prices by model id count. */
  price: z.literal("free").optional(),
  /** How the model is held to a schema. */
  json: z.enum(["native", "tool", "prompt"]).optional(),
  /** `estimated` when the server's count is not to be believed. */
  usage: z.enum(["reported", "estimated"]).optional(),
};

const ModelConfig = z.discriminatedUnion(
  "provider",
  [
    z.strictObject({ provider: z.literal("offline") }),
    z.strictObject({ provider: z.literal("bedrock"), region: z.string().min(1).optional(), ...remote }),
    z.strictObject({ provider: z.literal("anthropic"), ...remote }),
    z.strictObject({ provider: z.literal("openai-compatible"), ...remote, baseUrl: BaseUrl }),
  ],
  { error: "must be offline, bedrock, anthropic or openai-compatible" },
);
export type ModelConfig = z.infer<typeof ModelConfig>;
export type RemoteModelConfig = Exclude<ModelConfig, { provider: "offline" }>;

/** A host that the command line knows by a name; the host that reads this file has no use for it. */
const Target = z.strictObject({
  url: BaseUrl,
  /** The variables that hold its keys. */
  keyEnv: KeyEnv.optional(),
  internalKeyEnv: KeyEnv.optional(),
});
export type Target = z.infer<typeof Target>;

const Config = z.strictObject({
  models: z.record(z.string(), ModelConfig).default({}),
  /** By model id, as the provider spells it. */
  prices: z.record(z.string(), Price).default({}),
  targets: z.record(z.string(), Target).default({}),
  limits: z.strictObject({ libraryUsdPerDay: z.number().positive().optional() }).default({}),
  /** Hosts that `fetch:` may read. */
  fetch: z
    .strictObject({
      hosts: z
        .array(
          z.string().regex(/^(?:(?:[a-z0-9-]+\.)*[a-z0-9-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/, {
            error: "must be a host's name alone, such as example.org, or with its port",
          }),
        )
        .default([]),
    })
    .default({ hosts: [] }),
});
export type Config = z.infer<typeof Config>;

/**
 * The config of its JSON text; empty for none.
 * @throws {AppError} internal naming each place that is wrong, and never a value: it may be a key
 */
export function parseConfig(configJson: string): Config {
  let given: unknown = {};
  try {
    if (configJson.trim() !== "") given = JSON.parse(configJson);
  } catch {
    // The parser's own message quotes the text.
    throw new AppError("internal", "config.json is not JSON", {});
  }
  const parsed = Config.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new AppError("internal", `config.json: ${parsed.error.issues.map(messageOf).join("; ")}`, {});
}

function messageOf(issue: z.core.$ZodIssue): string {
  const at = issue.path.map(String).join(".");
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => `${at === "" ? key : `${at}.${key}`} is not a known field`).join("; ");
    case "invalid_type":
      return `${at} must be ${TYPES[issue.expected] ?? issue.expected}`.trimStart();
    case "invalid_value":
      return `${at} must be ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      if (issue.origin === "string") return `${at} must not be empty`;
      return `${at} must be ${issue.inclusive ? "at least" : "above"} ${issue.minimum}`;
    default:
      return `${at} ${issue.message}`;
  }
}

const TYPES: Record<string, string> = {
  object: "an object",
  record: "an object",
  array: "a list",
  string: "a text",
  number: "a number",
  int: "a whole number",
};

/** The aliases that a workflow may always name. */
export const ALIASES: readonly string[] = ["small", "default", "large"];

/**
 * What a request's model name stands for: an alias, or the full id of a configured model. `small` and `large` are
 * `default` until they are configured, and `default` is the offline writer.
 */
export function modelConfigOf({ models }: Pick<Config, "models">, name: string): ModelConfig | undefined {
  if (Object.hasOwn(models, name)) return models[name];
  const named = Object.values(models).find((model) => model.provider !== "offline" && model.model === name);
  if (named || !ALIASES.includes(name)) return named;
  return Object.hasOwn(models, "default") ? models["default"] : { provider: "offline" };
}

/** The tokens that a model's prompt and answer may have together, by the model's name; undefined when nobody said. */
export function windowTokensOf(config: Pick<Config, "models">, name: string): number | undefined {
  const model = modelConfigOf(config, name);
  return model && model.provider !== "offline" ? model.window : undefined;
}

/** What a model's tokens cost; null when nobody said. */
export function priceOf({ prices }: Pick<Config, "prices">, model: ModelConfig): Price | "free" | null {
  if (model.provider === "offline" || model.price === "free") return "free";
  return (Object.hasOwn(prices, model.model) ? prices[model.model] : undefined) ?? null;
}

/** The variable that holds a model's key; undefined where none is sent, or the account's own credentials are. */
export const keyEnvOf = (model: RemoteModelConfig): string | undefined =>
  model.keyEnv ?? (model.provider === "anthropic" ? "ANTHROPIC_API_KEY" : undefined);

/** Every variable whose value the runner needs. */
export const keyEnvNames = ({ models }: Pick<Config, "models">): string[] => [
  ...new Set(
    Object.values(models).flatMap((model) => {
      const name = model.provider === "offline" ? undefined : keyEnvOf(model);
      return name === undefined ? [] : [name];
    }),
  ),
];

/** Every name by which a workflow may call a model. */
export const modelNames = ({ models }: Pick<Config, "models">): string[] => [
  ...new Set([
    ...ALIASES,
    ...Object.entries(models).flatMap(([alias, model]) =>
      model.provider === "offline" ? [alias] : [alias, model.model],
    ),
  ]),
];

/** Those of them whose calls have a price, so that a budget in dollars can hold. */
export const pricedModels = (config: Pick<Config, "models" | "prices">): string[] =>
  modelNames(config).filter((name) => {
    const model = modelConfigOf(config, name);
    return model !== undefined && priceOf(config, model) !== null;
  });
