import { Arn, ArnFormat, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
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
  resources: { tables: Tables; queues: Queues; bedrockModels: readonly string[] },
): PolicyStatement[] {
  const tables = Object.entries(declaration.tables) as [TableName, TableAccess][];
  const sends = (declaration.sends ?? []).map((name) => resources.queues[name].queue.queueArn);
  const redrives = (declaration.redrives ?? []).map((name) => resources.queues[name].deadLetters.queueArn);
  return [
    ...tables.flatMap(([name, access]) => tableStatements(name, access, resources.tables)),
    ...(sends.length > 0 ? [new PolicyStatement({ actions: ["sqs:SendMessage"], resources: sends })] : []),
    ...(redrives.length > 0 ? [new PolicyStatement({ actions: REDRIVE, resources: redrives })] : []),
    ...(declaration.model ? [modelStatement(scope, resources.bedrockModels)] : []),
  ];
}

function tableStatements(name: TableName, access: TableAccess, tables: Tables): PolicyStatement[] {
  const { indexes }: TableDeclaration = TABLES[name];
  const arn = tables[name].tableArn;
  const base = new PolicyStatement({ actions: [...ACTIONS[access]], resources: [arn] });
  if (indexes.length === 0) return [base];
  const resources = indexes.map((index) => `${arn}/index/${index.name}`);
  return [base, new PolicyStatement({ actions: ["dynamodb:Query"], resources })];
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
