import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { QUEUES, TABLES, type QueueName, type TableName } from "../../topology.ts";
import { createTableRequest } from "../create-tables.ts";
import type { EngineAccess } from "./engines.ts";

export type Clients = { dynamodb: DynamoDBClient; sqs: SQSClient };

/** SDK clients of the embedded engines, for the host's own use. */
export function createClients(access: EngineAccess): Clients {
  const { accessKeyId, secretAccessKey, region } = access;
  const common = { region, credentials: { accessKeyId, secretAccessKey } };
  return {
    dynamodb: new DynamoDBClient({ ...common, endpoint: access.endpoints.dynamodb }),
    sqs: new SQSClient({ ...common, endpoint: access.endpoints.sqs }),
  };
}

/** Tables and queues by their declared names. */
export type Resources = {
  tables: Record<TableName, string>;
  queueUrls: Record<QueueName, string>;
  deadLetterUrls: Record<QueueName, string>;
};

/** Creates every declared table and queue that is missing; what exists keeps its content. */
export async function ensureResources(clients: Clients, access: EngineAccess): Promise<Resources> {
  const [tables, queues] = await Promise.all([
    ensureTables(clients.dynamodb),
    ensureQueues(clients.sqs, access),
  ]);
  return { tables, ...queues };
}

async function ensureTables(dynamodb: DynamoDBClient): Promise<Record<TableName, string>> {
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}));
  const tables = {} as Record<TableName, string>;
  for (const name of Object.keys(TABLES) as TableName[]) {
    tables[name] = name;
    if (!TableNames.includes(name)) {
      await dynamodb.send(new CreateTableCommand(createTableRequest(name, TABLES[name])));
    }
  }
  return tables;
}

async function ensureQueues(
  sqs: SQSClient,
  access: EngineAccess,
): Promise<Pick<Resources, "queueUrls" | "deadLetterUrls">> {
  const queueUrls = {} as Record<QueueName, string>;
  const deadLetterUrls = {} as Record<QueueName, string>;
  // Built here: the engine's own answers name a host that does not resolve.
  const urlOf = (name: string) => `${access.endpoints.sqs}/000000000000/${name}`;
  for (const name of Object.keys(QUEUES) as QueueName[]) {
    queueUrls[name] = urlOf(name);
    deadLetterUrls[name] = urlOf(`${name}-dead`);
    await sqs.send(new CreateQueueCommand({ QueueName: `${name}-dead` }));
    await sqs.send(new CreateQueueCommand({ QueueName: name }));
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: deadLetterUrls[name], AttributeNames: ["QueueArn"] }),
    );
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: Attributes?.["QueueArn"],
      maxReceiveCount: QUEUES[name].maxReceiveCount,
    });
    await sqs.send(
      new SetQueueAttributesCommand({ QueueUrl: queueUrls[name], Attributes: { RedrivePolicy } }),
    );
  }
  return { queueUrls, deadLetterUrls };
}
