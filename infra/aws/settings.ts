import type { Node } from "constructs";
import { readOrigins } from "../cors.ts";

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
  /** Tables under a key of this account's own, kept with them. @default false */
  kms: boolean;
  /** ARN of the SNS topic that alarms tell; without one they only show. @default none */
  alarmTopic: string | undefined;
  /** Silence after which recover takes a run for stuck. @default 600000 */
  stuckRunMs: number;
  /** Writes a minute and key, all containers together; 0 for no limit. @default 600 */
  writesPerMinute: number;
  /** SSM parameter (SecureString) that holds the pepper of API keys. @default "/mythos/<stage>/key-pepper" */
  pepperParameter: string;
  /** The parameter of the pepper before it, while keys are renewed. @default none */
  previousPepperParameter: string | undefined;
  /** ARN of the account's own key that those parameters are under. @default none: the account's aws/ssm key */
  pepperKey: string | undefined;
  /** Origins whose pages may call the API, with commas. @default none: closed to every page */
  corsOrigins: readonly string[];
  /** Whose signed tokens are people: jwtIssuer, jwtAudience, and jwtOwnerClaim or jwtOwnerUid. @default none */
  signIn: SignInSettings | undefined;
};

/** Any OpenID Connect issuer, such as a Cognito user pool. */
export type SignInSettings = {
  issuer: string;
  audience: readonly string[];
  /** The claim that names whose library a person is in. */
  ownerClaim: string | null;
  /** The library of everybody whom the issuer lets in. */
  ownerUid: string | null;
};

const STUCK_RUN_MS = 10 * 60 * 1000;
const WRITES_PER_MINUTE = 600;

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
  const writesPerMinute = Number(context("writesPerMinute") ?? WRITES_PER_MINUTE);
  if (!Number.isInteger(writesPerMinute) || writesPerMinute < 0) {
    throw new Error(
      `context writesPerMinute is "${context("writesPerMinute")}"; expected a number from 0 on`,
    );
  }
  return {
    stage,
    tracing: readFlag("tracing", context("tracing")),
    kms: readFlag("kms", context("kms")),
    alarmTopic: readTopic(context("alarmTopic")),
    bedrockModels: readModels(context("bedrockModels") ?? "anthropic.*"),
    configJson: readConfig(context("config") ?? "{}"),
    stuckRunMs,
    writesPerMinute,
    pepperParameter: readParameter(
      "pepperParameter",
      context("pepperParameter") ?? `/mythos/${stage}/key-pepper`,
    ),
    previousPepperParameter: optional(context("previousPepperParameter"), (name) =>
      readParameter("previousPepperParameter", name),
    ),
    pepperKey: optional(context("pepperKey"), readKey),
    corsOrigins: readOrigins("context corsOrigins", String(context("corsOrigins") ?? "")),
    signIn: optional(context("jwtIssuer"), (issuer) => readSignIn(issuer, context)),
  };
}

const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined || value === "" ? undefined : read(value);

/** A name with its path: the role is given this one parameter. */
function readParameter(setting: string, value: unknown): string {
  const name = String(value);
  if (/^(\/[A-Za-z0-9_.-]+)+$/.test(name)) return name;
  throw new Error(
    `context ${setting} is "${name}"; expected the name of an SSM parameter, such as /mythos/prod/x`,
  );
}

function readKey(value: unknown): string {
  if (typeof value === "string" && /^arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/.test(value))
    return value;
  throw new Error(`context pepperKey is "${String(value)}"; expected the ARN of a KMS key, not of an alias`);
}

function readSignIn(value: unknown, context: (key: string) => unknown): SignInSettings {
  const issuer = String(value);
  if (!/^https:\/\/\S+$/.test(issuer)) {
    throw new Error(`context jwtIssuer is "${issuer}"; expected an https address as tokens have it in iss`);
  }
  const audience = String(context("jwtAudience") ?? "")
    .split(",")
    .filter((each) => each !== "");
  if (audience.length === 0)
    throw new Error("context jwtAudience is missing; expected the client id of tokens");
  const ownerClaim = optional(context("jwtOwnerClaim"), String) ?? null;
  const ownerUid = optional(context("jwtOwnerUid"), String) ?? null;
  if ((ownerClaim === null) === (ownerUid === null)) {
    throw new Error(
      "context jwtOwnerClaim or jwtOwnerUid: expected one of them, to say whose library people are in",
    );
  }
  return { issuer, audience, ownerClaim, ownerUid };
}

function readFlag(key: string, value: unknown): boolean {
  const said = String(value ?? "false");
  if (said === "true" || said === "false") return said === "true";
  throw new Error(`context ${key} is "${said}"; expected true or false`);
}

function readTopic(value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string" && /^arn:[a-z-]+:sns:[a-z0-9-]+:\d{12}:[\w-]+$/.test(value)) return value;
  throw new Error(`context alarmTopic is "${String(value)}"; expected the ARN of an SNS topic`);
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
