import { devNull } from "node:os";
import { PEPPER_SETTINGS, QUEUES, TABLES, type FunctionDeclaration, type TableName } from "../../topology.ts";
import type { EngineAccess } from "../engine/engines.ts";
import type { Resources } from "../engine/resources.ts";

/**
 * The environment of one function: the tables, queues and settings it declares and no others, so that what
 * would be missing on AWS is missing here too; and the SDK's own variables, which lead to the embedded engines.
 */
export function functionEnvironment(
  name: string,
  declaration: FunctionDeclaration,
  values: {
    access: EngineAccess;
    resources: Pick<Resources, "tables" | "queueUrls" | "deadLetterUrls">;
    /** Settings by name; a declared one that has no value stays unset, and the function's default holds. */
    settings: Readonly<Record<string, string>>;
    /** Given to every function. */
    shared: Readonly<Record<string, string>>;
    /** Keys of model providers, for the functions that may reach a model. */
    secrets: Readonly<Record<string, string>>;
  },
): Record<string, string> {
  const { access, resources, settings, shared, secrets } = values;
  const env: Record<string, string> = {
    // First, so that no name among them can lead away from the embedded engines.
    ...(declaration.model && secrets),
    AWS_REGION: access.region,
    AWS_ACCESS_KEY_ID: access.accessKeyId,
    AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: access.endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: access.endpoints.sqs,
    // The person's own profiles never reach a function that runs here.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(declaration.memoryMb),
    TZ: "UTC",
  };
  for (const table of Object.keys(declaration.tables) as TableName[]) {
    env[TABLES[table].env] = resources.tables[table];
  }
  if (declaration.rows) env[TABLES.control.env] = resources.tables.control;
  for (const queue of declaration.sends ?? []) env[QUEUES[queue].env] = resources.queueUrls[queue];
  for (const queue of declaration.redrives ?? []) {
    env[QUEUES[queue].deadLettersEnv] = resources.deadLetterUrls[queue];
  }
  for (const setting of [...(declaration.env ?? []), ...(declaration.pepper ? PEPPER_SETTINGS : [])]) {
    const value = settings[setting];
    if (value !== undefined) env[setting] = value;
  }
  return { ...env, ...shared };
}
