import { CfnParameter } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ENV, type EnvName } from "../../functions/env.ts";
import { QUEUES, TABLES, type FunctionDeclaration, type QueueName, type TableName } from "../topology.ts";
import type { Queues } from "./queues.ts";
import type { Settings } from "./settings.ts";
import type { Tables } from "./tables.ts";

/** Values of the variables that are neither a table nor a queue. */
export type Extras = Partial<Record<EnvName, string>>;

/** Secrets come as parameters that CloudFormation never shows; everything else from the settings. */
export function createExtras(scope: Construct, settings: Settings): Extras {
  const secret = (id: string, description: string) =>
    new CfnParameter(scope, id, { type: "String", noEcho: true, minLength: 32, description }).valueAsString;
  return {
    [ENV.keyPepper]: secret("KeyPepper", "Key of the HMAC over API keys; a change makes every key unknown."),
    [ENV.internalKey]: secret("InternalKey", "What x-internal-key must be on the routes of operators."),
    [ENV.stage]: settings.stage,
    [ENV.config]: settings.configJson,
    [ENV.stuckRunMs]: String(settings.stuckRunMs),
  };
}

/** The variables a declaration needs and no other, so that no function sees a secret it does not use. */
export function environmentOf(
  declaration: FunctionDeclaration,
  resources: { tables: Tables; queues: Queues; extras: Extras },
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of Object.keys(declaration.tables) as TableName[]) {
    environment[TABLES[name].env] = resources.tables[name].tableName;
  }
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
  return environment;
}
