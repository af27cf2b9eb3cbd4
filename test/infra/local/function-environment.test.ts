import { expect, test } from "vitest";
import { ENV } from "../../../functions/env.ts";
import { functionEnvironment } from "../../../infra/local/functions/function-environment.ts";
import { FUNCTIONS, QUEUES, TABLES, type FunctionDeclaration } from "../../../infra/topology.ts";

const values = {
  access: {
    region: "us-east-1",
    accessKeyId: "id",
    secretAccessKey: "secret",
    endpoints: { dynamodb: "http://127.0.0.1:1", sqs: "http://127.0.0.1:2" },
  },
  resources: {
    tables: Object.fromEntries(Object.keys(TABLES).map((name) => [name, name])) as Record<
      keyof typeof TABLES,
      string
    >,
    deadLetterUrls: { wake: "http://127.0.0.1:2/0/wake-dead", run: "http://127.0.0.1:2/0/run-dead" },
    queueUrls: { wake: "http://127.0.0.1:2/000000000000/wake", run: "http://127.0.0.1:2/000000000000/run" },
  },
  settings: { [ENV.keyPepper]: "pepper", [ENV.internalKey]: "internal", [ENV.config]: "{}" },
  shared: {},
  secrets: { ANTHROPIC_API_KEY: "key", AWS_ACCESS_KEY_ID: "a person's own" },
};

test.each(Object.entries<FunctionDeclaration>(FUNCTIONS))(
  "%s gets its declared tables, queues and settings, a key only if it reaches a model, and no others",
  (name, declaration) => {
    const env = functionEnvironment(name, declaration, values);
    const ours = Object.keys(env).filter((key) => !key.startsWith("AWS_") && key !== "TZ");
    const declared = [
      ...Object.keys(declaration.tables).map((table) => TABLES[table as keyof typeof TABLES].env),
      ...(declaration.rows && !("control" in declaration.tables) ? [TABLES.control.env] : []),
      ...(declaration.pepper ? [ENV.keyPepper] : []),
      ...(declaration.sends ?? []).map((queue) => QUEUES[queue].env),
      ...(declaration.redrives ?? []).map((queue) => QUEUES[queue].deadLettersEnv),
      ...(declaration.env ?? []).filter((setting) => setting in values.settings),
      ...(declaration.model ? ["ANTHROPIC_API_KEY"] : []),
    ];
    expect(ours.sort()).toEqual(declared.sort());
  },
);

test("the SDK in a function finds the embedded engines and never a person's own account", () => {
  const env = functionEnvironment("queueRun", FUNCTIONS.queueRun, values);
  expect(env).toMatchObject({
    AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1",
    AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:2",
    AWS_ACCESS_KEY_ID: "id",
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  });
});
