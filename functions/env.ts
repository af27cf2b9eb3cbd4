import * as z from "zod";
import { AppError } from "../lib/core/errors.ts";

/** Environment names; the CDK app and the local host set them by these constants. */
export const ENV = {
  queueTable: "QUEUE_TABLE",
  lanesTable: "LANES_TABLE",
  runsTable: "RUNS_TABLE",
  memosTable: "MEMOS_TABLE",
  sessionsTable: "SESSIONS_TABLE",
  ledgerTable: "LEDGER_TABLE",
  controlTable: "CONTROL_TABLE",
  wakeQueueUrl: "WAKE_QUEUE_URL",
  runQueueUrl: "RUN_QUEUE_URL",
  wakeDeadLettersUrl: "WAKE_DEAD_LETTERS_URL",
  runDeadLettersUrl: "RUN_DEAD_LETTERS_URL",
  /** Key of the HMAC over API keys, and the one before it while keys are renewed; where these are given as they are. */
  keyPepper: "MYTHOS_KEY_PEPPER",
  previousKeyPepper: "MYTHOS_KEY_PEPPER_PREVIOUS",
  /** Names of the SSM parameters that hold them; used where the peppers themselves are not given. */
  keyPepperParameter: "MYTHOS_KEY_PEPPER_PARAMETER",
  previousKeyPepperParameter: "MYTHOS_KEY_PEPPER_PREVIOUS_PARAMETER",
  /** Writes a minute and key; unset or 0 for no limit. */
  writesPerMinute: "MYTHOS_WRITES_PER_MINUTE",
  /** JSON text: whose signed tokens are people of whose library. */
  signIn: "MYTHOS_SIGN_IN_JSON",
  /** What `x-internal-key` must be on the routes of operators. */
  internalKey: "MYTHOS_INTERNAL_KEY",
  stage: "MYTHOS_STAGE",
  stuckRunMs: "MYTHOS_STUCK_RUN_MS",
  /** JSON text of config.json: models, prices, limits. */
  config: "MYTHOS_CONFIG_JSON",
  /** Set by the local host at its start: leases taken before this epoch ms belong to a dead instance. */
  deadBeforeMs: "MYTHOS_DEAD_BEFORE_MS",
} as const;
export type EnvName = (typeof ENV)[keyof typeof ENV];

/** Before the path of every route that people reach by signing in: a route of the gateway has one authorizer only. */
export const SIGN_IN_PREFIX = "/steward";

const Text = z.string().min(1);

/** Reads the named variables; throws `internal` naming the one that is missing, never a value. */
export function readEnv<K extends EnvName>(names: readonly K[]): Record<K, string> {
  const values = {} as Record<K, string>;
  for (const name of names) {
    const parsed = Text.safeParse(process.env[name]);
    if (!parsed.success) throw new AppError("internal", `environment variable ${name} is not set`, {});
    values[name] = parsed.data;
  }
  return values;
}

/** A variable that may be absent. */
export const optionalEnv = (name: EnvName): string | undefined => process.env[name] || undefined;

/** The secret under a name that config.json gives; undefined when the environment does not hold it. */
export const secretEnv = (name: string): string | undefined => process.env[name] || undefined;
