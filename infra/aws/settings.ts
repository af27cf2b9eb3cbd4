import type { Node } from "constructs";

/** What a deployment may choose, as CDK context: `cdk deploy -c stage=dev -c tracing=true`. */
export type Settings = {
  /** Part of every stack name, so that two deployments can share an account. @default "prod" */
  stage: string;
  /** X-Ray tracing of every function. @default false */
  tracing: boolean;
  /** Bedrock model id patterns the functions with `model: true` may invoke. @default ["anthropic.*"] */
  bedrockModels: readonly string[];
  /** config.json as the functions read it: models, prices, limits; an object or its JSON text. @default "{}" */
  configJson: string;
  /** Silence after which recover takes a run for stuck. @default 600000 */
  stuckRunMs: number;
};

const STUCK_RUN_MS = 10 * 60 * 1000;

/** Reads the settings from context, where the command line gives every value as text. */
export function readSettings(node: Node): Settings {
  const context = (key: string): unknown => node.tryGetContext(key);
  const stage = String(context("stage") ?? "prod");
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(stage)) {
    throw new Error(`context stage is "${stage}"; expected 1 to 20 of a-z, 0-9 and "-", a letter first`);
  }
  const stuckRunMs = Number(context("stuckRunMs") ?? STUCK_RUN_MS);
  if (!Number.isInteger(stuckRunMs) || stuckRunMs <= 0) {
    throw new Error(`context stuckRunMs is "${context("stuckRunMs")}"; expected milliseconds above 0`);
  }
  return {
    stage,
    tracing: String(context("tracing") ?? "false") === "true",
    bedrockModels: readModels(context("bedrockModels") ?? "anthropic.*"),
    configJson: readConfig(context("config") ?? "{}"),
    stuckRunMs,
  };
}

function readModels(value: unknown): string[] {
  const patterns = Array.isArray(value) ? value.map(String) : String(value).split(",");
  for (const pattern of patterns) {
    // A bare "*" would open every model of every vendor.
    if (!/^[a-z0-9-]+\.[\w.:*-]+$/i.test(pattern)) {
      throw new Error(`context bedrockModels holds "${pattern}"; expected vendor.model, such as anthropic.*`);
    }
  }
  return patterns;
}

function readConfig(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  try {
    return JSON.stringify(JSON.parse(value));
  } catch (cause) {
    throw new Error("context config is not JSON", { cause });
  }
}
