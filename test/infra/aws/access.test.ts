import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { expect, test } from "vitest";
import { ENV } from "../../../functions/env.ts";
import {
  FUNCTIONS,
  QUEUES,
  TABLES,
  type FunctionDeclaration,
  type TableDeclaration,
  type TableName,
} from "../../../infra/topology.ts";
import { functions, resources, spell, synthesise, type Synthesised } from "./synthesised.ts";

type Statement = {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
};
type Policy = { PolicyDocument: { Statement: Statement[] }; Roles: unknown[] };

const synthesised = synthesise();
const { app } = synthesised;
const DECLARED = Object.values<FunctionDeclaration>(FUNCTIONS);
const policiesOf = (made: Synthesised) => [...resources<Policy>(made.app, "AWS::IAM::Policy").values()];
const policies = policiesOf(synthesised);
const named = (name: string, kind: "Table" | "Queue") => `${name[0]!.toUpperCase()}${name.slice(1)}${kind}`;
const many = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** Every `action on resource` that the role of a function allows. */
function allowedTo(file: string, made = synthesised): string[] {
  const [, fn] = functions(made).find(([, each]) => each.Description === file)!;
  const role = spell(made, fn.Role).replace(/\.Arn$/, "");
  const statements = policiesOf(made)
    .filter((policy) => policy.Roles.some((each) => spell(made, each) === role))
    .flatMap((policy) => policy.PolicyDocument.Statement);
  return statements.flatMap((statement) => {
    expect(statement.Effect).toBe("Allow");
    const only = statement.Condition ? ` if ${JSON.stringify(statement.Condition)}` : "";
    return many(statement.Action).flatMap((action) =>
      many(statement.Resource).map((resource) => `${String(action)} on ${spell(made, resource)}${only}`),
    );
  });
}

const READ = ["GetItem", "BatchGetItem", "Query"];
const WRITE = [...READ, "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"];
const APPEND = [...READ, "PutItem"];
const CONSUME = [
  "ReceiveMessage",
  "ChangeMessageVisibility",
  "GetQueueUrl",
  "DeleteMessage",
  "GetQueueAttributes",
];

const REDRIVE = ["ReceiveMessage", "ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes"];
const deadLetters = (name: string) => `${name[0]!.toUpperCase()}${name.slice(1)}DeadLetters`;

const modelAccess = (resource: string) =>
  ["InvokeModel", "InvokeModelWithResponseStream"].map(
    (action) => `bedrock:${action} on arn:AWS::Partition:bedrock:*:${resource}`,
  );

const leading = (like: "StringLike" | "StringNotLike", ...keys: string[]) => ({
  [`ForAllValues:${like}`]: { "dynamodb:LeadingKeys": keys },
});
const ROW_KEYS = { key: "KEY#*", rate: "RATE#*", repeat: "REPEAT#*", page: "PAGE#*" } as const;
const NO_KEYS = ` if ${JSON.stringify(leading("StringNotLike", "KEY#*", "PAGE#*"))}`;
const LAST_USE = { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "lastUsedAt"] } };

/** Rows of Control, each operation with the condition that keeps it to them. */
function rowAccess(rows: NonNullable<FunctionDeclaration["rows"]>): string[] {
  return Object.entries(rows).flatMap(([kind, access]) => {
    const like = leading("StringLike", ROW_KEYS[kind as keyof typeof ROW_KEYS]);
    const allow = (operation: string, condition: object) =>
      `dynamodb:${operation} on ControlTable.Arn if ${JSON.stringify(condition)}`;
    return access === "use"
      ? ["GetItem", "PutItem", "UpdateItem", "DeleteItem"].map((operation) => allow(operation, like))
      : [allow("GetItem", like), allow("UpdateItem", { ...like, ...LAST_USE })];
  });
}

/** What a declaration should come to, written apart from the code under test. */
function declaredAccess(declaration: FunctionDeclaration, log: string): string[] {
  const tables = Object.entries(declaration.tables).flatMap(([name, access]) => {
    const { indexes }: TableDeclaration = TABLES[name as TableName];
    const arn = `${named(name, "Table")}.Arn`;
    return [
      ...{ read: READ, append: APPEND, write: WRITE }[access].map(
        (action) => `dynamodb:${action} on ${arn}${name === "control" && access === "write" ? NO_KEYS : ""}`,
      ),
      ...indexes.map((index) => `dynamodb:Query on ${arn}/index/${index.name}`),
    ];
  });
  return [
    ...tables,
    ...rowAccess(declaration.rows ?? {}),
    ...(declaration.pepper
      ? [
          "ssm:GetParameters on arn:AWS::Partition:ssm:AWS::Region:AWS::AccountId:parameter/mythos/prod/key-pepper",
        ]
      : []),
    ...(declaration.sends ?? []).map((name) => `sqs:SendMessage on ${named(name, "Queue")}.Arn`),
    ...(declaration.redrives ?? []).flatMap((name) =>
      REDRIVE.map((action) => `sqs:${action} on ${deadLetters(name)}.Arn`),
    ),
    // What it failed at is told where somebody looks.
    ...(declaration.schedule ? ["sqs:SendMessage on ScheduleFailures.Arn"] : []),
    ...(declaration.queue
      ? CONSUME.map((action) => `sqs:${action} on ${named(declaration.queue!.name, "Queue")}.Arn`)
      : []),
    ...(declaration.model
      ? [
          ...modelAccess(":foundation-model/anthropic.*"),
          ...modelAccess("AWS::AccountId:inference-profile/*.anthropic.*"),
        ]
      : []),
    ...["CreateLogStream", "PutLogEvents"].map((action) => `logs:${action} on ${log}.Arn`),
  ];
}

/** What a role may do beside its declaration, and what it may not although it is declared. */
function differences(declaration: FunctionDeclaration, made = synthesised): string[] {
  const [, fn] = functions(made).find(([, each]) => each.Description === declaration.file)!;
  const log = spell(made, fn.LoggingConfig.LogGroup);
  const allowed = allowedTo(declaration.file, made);
  const declared = declaredAccess(declaration, log);
  return [
    ...allowed.filter((each) => !declared.includes(each)).map((each) => `may ${each}`),
    ...declared.filter((each) => !allowed.includes(each)).map((each) => `may not ${each}`),
  ];
}

test.each(DECLARED)("$file may do what it declares and nothing else", (declaration) => {
  expect(differences(declaration)).toEqual([]);
});

test("the comparison is red for a grant that somebody widens, and for one that is taken away", () => {
  const widened = synthesise({}, ({ data, application: { functions: made } }) => {
    const { tableArn } = data.tables.runs;
    made.httpHolds.addToRolePolicy(
      new PolicyStatement({ actions: ["dynamodb:UpdateItem"], resources: [tableArn] }),
    );
    data.tables.memos.grantReadData(made.httpSessions);
    made.schedulePass.role!.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ["bedrock:InvokeModel"],
        resources: ["arn:aws:bedrock:*::foundation-model/*"],
      }),
    );
  });
  expect(differences(FUNCTIONS.httpHolds, widened)).toEqual(["may dynamodb:UpdateItem on RunsTable.Arn"]);
  expect(differences(FUNCTIONS.httpSessions, widened)).toContain("may dynamodb:Scan on MemosTable.Arn");
  expect(differences(FUNCTIONS.schedulePass, widened)).toEqual([
    "may bedrock:InvokeModel on arn:aws:bedrock:*::foundation-model/*",
  ]);
  expect(
    differences({ ...FUNCTIONS.httpCost, tables: { ...FUNCTIONS.httpCost.tables, queue: "read" } }),
  ).toContain("may not dynamodb:GetItem on QueueTable.Arn");
});

test("every function has a role of its own, with no managed policy and no inline one beside the declared", () => {
  const roles = resources<{ ManagedPolicyArns?: unknown; Policies?: unknown }>(app, "AWS::IAM::Role");
  expect(roles.size).toBe(functions(synthesised).length);
  const used = functions(synthesised).map(([, fn]) => spell(synthesised, fn.Role));
  expect(new Set(used).size).toBe(used.length);
  expect([...roles].filter(([, role]) => role.ManagedPolicyArns || role.Policies)).toEqual([]);
});

test("no statement allows a Scan, a wildcard action or every resource", () => {
  const statements = policies.flatMap((policy) => policy.PolicyDocument.Statement);
  expect(statements.length).toBeGreaterThan(DECLARED.length);
  for (const { Action, Resource, Effect } of statements) {
    if (Effect !== "Allow") continue;
    for (const action of many(Action)) {
      expect(action).not.toMatch(/\*/);
      expect(action).not.toMatch(/^dynamodb:(Scan|PartiQL|TransactWriteItems|DeleteTable|UpdateTable)/);
    }
    for (const resource of many(Resource)) expect(spell(synthesised, resource)).not.toBe("*");
  }
});

test("only the functions that declare a model may reach one", () => {
  const reaching = DECLARED.filter(({ file }) => allowedTo(file).some((each) => each.startsWith("bedrock:")));
  expect(reaching.map(({ file }) => file)).toEqual(["functions/queue-run.ts"]);
  expect(reaching).toEqual(DECLARED.filter((each) => each.model));
});

test("only the steward and the machinery of runs may write the Runs table", () => {
  const writers = DECLARED.filter(({ file }) =>
    allowedTo(file).includes("dynamodb:UpdateItem on RunsTable.Arn"),
  );
  expect(writers.map(({ file }) => file).toSorted()).toEqual([
    "functions/http-cron.ts",
    "functions/http-mcp.ts",
    "functions/http-runs.ts",
    "functions/queue-run.ts",
    "functions/queue-wake.ts",
    "functions/schedule-pass.ts",
    "functions/schedule-recover.ts",
    "functions/schedule-resume.ts",
    "functions/steward.ts",
  ]);
});

test.each(DECLARED)(
  "$file sees the variables it declares, each naming its own table or queue",
  (declaration) => {
    const [, fn] = functions(synthesised).find(([, each]) => each.Description === declaration.file)!;
    const found = Object.fromEntries(
      Object.entries(fn.Environment?.Variables ?? {}).map(([name, value]) => [
        name,
        spell(synthesised, value),
      ]),
    );
    const tables = Object.keys(declaration.tables) as TableName[];
    expect(found).toEqual({
      ...Object.fromEntries(tables.map((name) => [TABLES[name].env, named(name, "Table")])),
      ...Object.fromEntries(
        (declaration.sends ?? []).map((name) => [QUEUES[name].env, named(name, "Queue")]),
      ),
      ...Object.fromEntries(
        (declaration.redrives ?? []).map((name) => [QUEUES[name].deadLettersEnv, deadLetters(name)]),
      ),
      ...(declaration.rows && { [TABLES.control.env]: named("control", "Table") }),
      ...(declaration.pepper && { [ENV.keyPepperParameter]: "/mythos/prod/key-pepper" }),
      ...Object.fromEntries((declaration.env ?? []).map((name) => [name, expect.any(String)])),
    });
  },
);

/** Functions that see a parameter, each with the variable that holds it. */
const holdersOf = (parameter: string) =>
  functions(synthesised).flatMap(([, fn]) =>
    Object.entries(fn.Environment?.Variables ?? {}).flatMap(([name, value]) =>
      JSON.stringify(value) === JSON.stringify({ Ref: parameter }) ? [`${fn.Description} ${name}`] : [],
    ),
  );

test("the key of operators comes as a parameter that CloudFormation never shows, to the functions that check it", () => {
  expect(holdersOf("InternalKey").toSorted()).toEqual([
    `functions/http-cron.ts ${ENV.internalKey}`,
    `functions/http-dead-letters.ts ${ENV.internalKey}`,
  ]);
  expect(app.findParameters("InternalKey")["InternalKey"]).toMatchObject({ NoEcho: true, MinLength: 32 });
  expect(app.findParameters("InternalKey")["InternalKey"]).not.toHaveProperty("Default");
});

test("peppers are in no template: two functions are told where they are, and may read them there", () => {
  const rotating = synthesise({ previousPepperParameter: "/mythos/prod/key-pepper-before" });
  const text = JSON.stringify(rotating.app.toJSON());
  expect(text).not.toContain(`"${ENV.keyPepper}"`);
  expect(text).not.toMatch(/resolve:ssm/);
  const told = functions(rotating).filter(([, fn]) => fn.Environment?.Variables[ENV.keyPepperParameter]);
  expect(told.map(([, fn]) => fn.Description).toSorted()).toEqual([
    "functions/authorizer.ts",
    "functions/http-keys.ts",
  ]);
  for (const [, fn] of told) {
    expect(fn.Environment?.Variables[ENV.previousKeyPepperParameter]).toBe("/mythos/prod/key-pepper-before");
  }
  const readers = [...resources<Policy>(rotating.app, "AWS::IAM::Policy").values()]
    .flatMap((policy) => policy.PolicyDocument.Statement)
    .filter(({ Action }) => many(Action).some((action) => String(action).startsWith("ssm:")));
  expect(readers).toHaveLength(2);
  for (const { Resource } of readers) expect(many(Resource)).toHaveLength(2);
});

test("where the pepper is under a key of the account's own, its two readers may decrypt that parameter by it and no more", () => {
  const pepperKey = "arn:aws:kms:eu-central-1:111111111111:key/0000";
  const decrypting = (context: Record<string, unknown>) =>
    [...resources<Policy>(synthesise(context).app, "AWS::IAM::Policy").values()]
      .flatMap((policy) => policy.PolicyDocument.Statement)
      .filter(({ Action }) => many(Action).some((action) => String(action).startsWith("kms:")));
  expect(decrypting({})).toEqual([]);
  const found = decrypting({ pepperKey });
  expect(found).toHaveLength(2);
  for (const statement of found) {
    expect(statement).toMatchObject({ Effect: "Allow", Action: "kms:Decrypt", Resource: pepperKey });
    expect(JSON.stringify(statement.Condition)).toMatch(/kms:ViaService.*ssm.*PARAMETER_ARN.*key-pepper/);
  }
});

test("no function but the one that makes keys can write what a key may do", () => {
  const writing = /^dynamodb:(Put|Update|Delete|BatchWrite)Item on ControlTable/;
  for (const { file } of DECLARED) {
    if (file === "functions/http-keys.ts") continue;
    const open = allowedTo(file)
      .filter((each) => writing.test(each))
      .filter(
        (each) =>
          !/StringNotLike.*KEY#|StringLike.*(RATE|REPEAT|PAGE)#|LeadingKeys.*KEY#.*Attributes/.test(each),
      );
    expect({ file, open }).toEqual({ file, open: [] });
  }
});

test("no function but the one that signs people in can write who is signed in", () => {
  const writing = /^dynamodb:(Put|Update|Delete|BatchWrite)Item on ControlTable/;
  const mayWrite = DECLARED.filter(({ file }) =>
    allowedTo(file)
      .filter((each) => writing.test(each))
      .some((each) => !/StringNotLike[^}]*PAGE#|StringLike.*(RATE|REPEAT|KEY)#/.test(each)),
  );
  expect(mayWrite.map(({ file }) => file)).toEqual(["functions/steward.ts"]);
});

test("whatever takes a writing request counts it and knows a repeat", () => {
  const guarding = DECLARED.filter(({ routes }) =>
    routes?.some(({ method, auth }) => auth === "key" && method !== "GET"),
  );
  expect(guarding.length).toBeGreaterThan(5);
  for (const { file, tables, rows, env } of guarding) {
    const counts = tables.control === "write" || (rows?.rate === "use" && rows.repeat === "use");
    expect({ file, guards: counts && env?.includes(ENV.writesPerMinute) }).toEqual({ file, guards: true });
  }
});
