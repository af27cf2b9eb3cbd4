import { Arn, ArnFormat, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { CONTROL, CONTROL_ROWS, KEY_STAMP, type ControlRow } from "../../lib/core/keys.ts";
import {
  TABLES,
  type FunctionDeclaration,
  type TableAccess,
  type TableDeclaration,
  type TableName,
} from "../topology.ts";
import type { Queues } from "./queues.ts";
import type { Tables } from "./tables.ts";

const READ = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"];
const ACTIONS: Record<TableAccess, readonly string[]> = {
  read: READ,
  append: [...READ, "dynamodb:PutItem"],
  write: [
    ...READ,
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
  ],
};

/** To look at dead letters and to take them out; sending them again is a send. */
const REDRIVE = [
  "sqs:ReceiveMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:DeleteMessage",
  "sqs:GetQueueAttributes",
];

/** What a function's declaration lets its role do, and no more. */
export function accessOf(
  scope: Construct,
  declaration: FunctionDeclaration,
  resources: {
    tables: Tables;
    key: IKey | undefined;
    queues: Queues;
    bedrockModels: readonly string[];
    /** Names of the parameters that hold peppers. */
    pepperParameters: readonly string[];
    /** The key that they are under, where it is one of the account's own. */
    pepperKey: string | undefined;
  },
): PolicyStatement[] {
  const tables = Object.entries(declaration.tables) as [TableName, TableAccess][];
  const sends = (declaration.sends ?? []).map((name) => resources.queues[name].queue.queueArn);
  const redrives = (declaration.redrives ?? []).map((name) => resources.queues[name].deadLetters.queueArn);
  return [
    ...tables.flatMap(([name, access]) => tableStatements(name, access, resources.tables)),
    ...rowStatements(declaration.rows ?? {}, resources.tables),
    ...(declaration.pepper ? parameterStatements(scope, resources) : []),
    ...(resources.key && usesTables(declaration) ? [keyStatement(scope, resources.key)] : []),
    ...(sends.length > 0 ? [new PolicyStatement({ actions: ["sqs:SendMessage"], resources: sends })] : []),
    ...(redrives.length > 0 ? [new PolicyStatement({ actions: REDRIVE, resources: redrives })] : []),
    ...(declaration.model ? [modelStatement(scope, resources.bedrockModels)] : []),
  ];
}

const usesTables = ({ tables, rows = {} }: FunctionDeclaration): boolean =>
  Object.keys(tables).length + Object.keys(rows).length > 0;

function tableStatements(name: TableName, access: TableAccess, tables: Tables): PolicyStatement[] {
  const { indexes }: TableDeclaration = TABLES[name];
  const arn = tables[name].tableArn;
  const base = new PolicyStatement({
    actions: [...ACTIONS[access]],
    resources: [arn],
    // What lets somebody in is written by the function that makes it, whoever else writes beside it.
    ...(name === "control" &&
      access === "write" && { conditions: lacking([CONTROL_ROWS.key, CONTROL_ROWS.page]) }),
  });
  if (indexes.length === 0) return [base];
  const resources = indexes.map((index) => `${arn}/index/${index.name}`);
  return [base, new PolicyStatement({ actions: ["dynamodb:Query"], resources })];
}

/** In a condition: every key that the request names begins so, or none does. */
const leading = (prefix: string) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${prefix}*`] },
});
const lacking = (prefixes: readonly string[]) => ({
  "ForAllValues:StringNotLike": { "dynamodb:LeadingKeys": prefixes.map((prefix) => `${prefix}*`) },
});

/** Some kinds of rows of Control and no others; of a key that is stamped the time of its last use alone. */
function rowStatements(rows: NonNullable<FunctionDeclaration["rows"]>, tables: Tables): PolicyStatement[] {
  return (Object.entries(rows) as [ControlRow, "use" | "stamp"][]).flatMap(([kind, access]) => {
    const allow = (operations: readonly string[], conditions: Record<string, unknown>) =>
      new PolicyStatement({
        actions: operations.map((operation) => `dynamodb:${operation}`),
        resources: [tables.control.tableArn],
        conditions,
      });
    const conditions = leading(CONTROL_ROWS[kind]);
    if (access === "use") return [allow(["GetItem", "PutItem", "UpdateItem", "DeleteItem"], conditions)];
    const attributes = { "dynamodb:Attributes": [CONTROL.key, CONTROL.sort, KEY_STAMP] };
    return [
      allow(["GetItem"], conditions),
      allow(["UpdateItem"], { ...conditions, "ForAllValues:StringEquals": attributes }),
    ];
  });
}

/** Under aws/ssm decrypting needs no grant of its own: that key lets in whom SSM asks for. Another lets in whom it is told. */
function parameterStatements(
  scope: Construct,
  { pepperParameters, pepperKey }: { pepperParameters: readonly string[]; pepperKey: string | undefined },
): PolicyStatement[] {
  const stack = Stack.of(scope);
  const arns = pepperParameters.map((name) =>
    stack.formatArn({ service: "ssm", resource: "parameter", resourceName: name.slice(1) }),
  );
  const read = new PolicyStatement({ actions: ["ssm:GetParameters"], resources: arns });
  if (pepperKey === undefined) return [read];
  const conditions = {
    StringEquals: {
      "kms:ViaService": `ssm.${stack.region}.amazonaws.com`,
      "kms:EncryptionContext:PARAMETER_ARN": arns,
    },
  };
  return [read, new PolicyStatement({ actions: ["kms:Decrypt"], resources: [pepperKey], conditions })];
}

/** Foundation models of any region, because an inference profile spreads its calls over several. */
function modelStatement(scope: Construct, patterns: readonly string[]): PolicyStatement {
  const stack = Stack.of(scope);
  const bedrock = (account: string, resource: string, resourceName: string) =>
    Arn.format(
      {
        service: "bedrock",
        region: "*",
        account,
        resource,
        resourceName,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      },
      stack,
    );
  return new PolicyStatement({
    actions: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
    resources: patterns.flatMap((pattern) => [
      bedrock("", "foundation-model", pattern),
      bedrock(stack.account, "inference-profile", `*.${pattern}`),
    ]),
  });
}

/** What DynamoDB asks of whoever reads and writes a table under a key of the account's own, and through it alone. */
const keyStatement = (scope: Construct, key: IKey): PolicyStatement =>
  new PolicyStatement({
    actions: [
      "kms:Encrypt",
      "kms:Decrypt",
      "kms:ReEncryptFrom",
      "kms:ReEncryptTo",
      "kms:GenerateDataKey",
      "kms:GenerateDataKeyWithoutPlaintext",
      "kms:DescribeKey",
    ],
    resources: [key.keyArn],
    conditions: { StringEquals: { "kms:ViaService": `dynamodb.${Stack.of(scope).region}.amazonaws.com` } },
  });
