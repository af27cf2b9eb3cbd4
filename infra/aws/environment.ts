import { CfnParameter, Fn, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ENV, type EnvName } from "../../functions/env.ts";
import { QUEUES, TABLES, type FunctionDeclaration, type QueueName, type TableName } from "../topology.ts";
import type { Queues } from "./queues.ts";
import type { Settings } from "./settings.ts";
import type { Tables } from "./tables.ts";

/** Values of the variables that are neither a table nor a queue. */
export type Extras = Partial<Record<EnvName, string>>;

/**
 * Peppers are named and not given: a variable is shown to whoever may look at a function, and CloudFormation does
 * not resolve a SecureString into one. The key of operators comes as a parameter that CloudFormation never shows.
 */
export function createExtras(scope: Construct, settings: Settings): Extras {
  const secret = (id: string, description: string) =>
    new CfnParameter(scope, id, { type: "String", noEcho: true, minLength: 32, description }).valueAsString;
  const { previousPepperParameter, signIn } = settings;
  return {
    [ENV.keyPepperParameter]: settings.pepperParameter,
    ...(previousPepperParameter !== undefined && {
      [ENV.previousKeyPepperParameter]: previousPepperParameter,
    }),
    [ENV.internalKey]: secret("InternalKey", "What x-internal-key must be on the routes of operators."),
    [ENV.stage]: settings.stage,
    [ENV.config]: settings.configJson,
    [ENV.stuckRunMs]: String(settings.stuckRunMs),
    [ENV.writesPerMinute]: String(settings.writesPerMinute),
    ...(signIn && { [ENV.signIn]: Stack.of(scope).toJsonString({ ...signIn, seed: seedOf(scope) }) }),
  };
}

/** The random part of the stack's id: of this deployment alone, and nowhere written down. */
const seedOf = (scope: Construct): string => Fn.select(2, Fn.split("/", Stack.of(scope).stackId));

/** The variables a declaration needs and no other, so that no function sees a secret it does not use. */
export function environmentOf(
  declaration: FunctionDeclaration,
  resources: { tables: Tables; queues: Queues; extras: Extras },
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of Object.keys(declaration.tables) as TableName[]) {
    environment[TABLES[name].env] = resources.tables[name].tableName;
  }
  if (declaration.rows) environment[TABLES.control.env] = resources.tables.control.tableName;
  for (const name of declaration.sends ?? ([] as readonly QueueName[])) {
    environment[QUEUES[name].env] = resources.queues[name].queue.queueUrl;
  }
  for (const name of declaration.redrives ?? ([] as readonly QueueName[])) {
    environment[QUEUES[name].deadLettersEnv] = resources.queues[name].deadLetters.queueUrl;
  }
  for (const name of declaration.env ?? []) {
    const value = resources.extras[name];
    if (value === undefined) throw new Error(`${declaration.file} wants ${name}, which has no value on AWS`);
    environment[name] = value;
  }
  const { extras } = resources;
  const given = (name: EnvName) => {
    if (extras[name] !== undefined) environment[name] = extras[name];
  };
  if (declaration.pepper) [ENV.keyPepperParameter, ENV.previousKeyPepperParameter].forEach(given);
  if (declaration.people) given(ENV.signIn);
  return environment;
}
