import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutItemCommand, QueryCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import dynaliteDb, { type Table } from "dynalite/db/index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addIndexes } from "../../../infra/local/engine/add-indexes.ts";
import { startEngines } from "../../../infra/local/engine/engines.ts";
import { createClients, ensureResources } from "../../../infra/local/engine/resources.ts";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "indexes-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function onEngine<T>(use: (client: DynamoDBClient, sessions: string) => Promise<T>): Promise<T> {
  const onFailure = (error: Error) => {
    throw error;
  };
  const engines = await startEngines({ dataDir, afterCrash: false, onFailure });
  const clients = createClients(engines.access);
  const { tables } = await ensureResources(clients, engines.access);
  try {
    return await use(clients.dynamodb, tables.sessions);
  } finally {
    clients.dynamodb.destroy();
    clients.sqs.destroy();
    await engines.stop();
  }
}

const put = (sessionId: string) => (client: DynamoDBClient, TableName: string) =>
  client.send(
    new PutItemCommand({
      TableName,
      Item: {
        sessionId: { S: sessionId },
        part: { S: "SESSION" },
        liveOwner: { S: "ana" },
        activeBucketAt: { N: "5" },
      },
    }),
  );

const live = async (client: DynamoDBClient, TableName: string) => {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: "live",
      KeyConditionExpression: "liveOwner = :owner",
      ExpressionAttributeValues: { ":owner": { S: "ana" } },
    }),
  );
  return Items.map((item) => item["sessionId"]?.S).toSorted();
};

/** The data folder as a release left it that had no such index. */
async function givenOlderFolder(): Promise<void> {
  const { db } = dynaliteDb.create({ path: join(dataDir, "dynamodb") });
  await db.open();
  for await (const [key, value] of db.iterator({ gte: "table~sessions", lt: "table~sessions\u{ffff}" })) {
    const table = value as Table;
    const GlobalSecondaryIndexes = table.GlobalSecondaryIndexes?.filter(
      ({ IndexName }) => IndexName !== "live",
    );
    const AttributeDefinitions = table.AttributeDefinitions?.filter(
      ({ AttributeName }) => AttributeName !== "liveOwner",
    );
    const older = { ...table, GlobalSecondaryIndexes, AttributeDefinitions };
    await db.batch([{ type: "put", key, value: older }]);
  }
  await db.clear({ gte: "index-global~sessions~live", lt: "index-global~sessions~live\u{ffff}" });
  await db.close();
}

test("a data folder of a release without an index has it after a start, with what is in the table", async () => {
  await onEngine(put("ses_1"));
  await givenOlderFolder();
  const seen = await onEngine(async (client, table) => {
    const before = await live(client, table);
    await put("ses_2")(client, table);
    return { before, after: await live(client, table) };
  });
  expect(seen).toEqual({ before: ["ses_1"], after: ["ses_1", "ses_2"] });
});

test("says what it added, and nothing when all is there", async () => {
  await onEngine(put("ses_1"));
  await givenOlderFolder();
  expect(await addIndexes(join(dataDir, "dynamodb"))).toEqual(["sessions live"]);
  expect(await addIndexes(join(dataDir, "dynamodb"))).toEqual([]);
});
