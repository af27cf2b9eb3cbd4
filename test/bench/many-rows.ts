import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { openDataFolder } from "../../infra/local/data/data-folder.ts";
import { startEngines } from "../../infra/local/engine/engines.ts";
import { createClients } from "../../infra/local/engine/resources.ts";
import { RUNS } from "../../lib/core/keys.ts";

type Row = Record<string, unknown>;

/**
 * Copies of a run that really was, rows and all, under ids of their own and a second older each: what a history of
 * months looks like to whoever reads it. The folder must not be in use.
 */
export async function copyRuns(
  dataDir: string,
  copies: readonly { runId: string; count: number }[],
): Promise<void> {
  const data = openDataFolder(dataDir);
  const engines = await startEngines({
    dataDir: data.path,
    afterCrash: false,
    onFailure(error) {
      throw error;
    },
  });
  const clients = createClients(engines.access);
  const doc = DynamoDBDocumentClient.from(clients.dynamodb);
  try {
    for (const { runId, count } of copies) {
      const rows = await rowsOf(doc, runId);
      const all = Array.from({ length: count }, (_, n) =>
        rows.map((row) => copyOf(row, runId, n + 1)),
      ).flat();
      for (let start = 0; start < all.length; start += 25) {
        const puts = all.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
        await doc.send(new BatchWriteCommand({ RequestItems: { runs: puts } }));
      }
    }
  } finally {
    Object.values(clients).forEach((client) => client.destroy());
    await engines.stop();
    data.close();
  }
}

async function rowsOf(doc: DynamoDBDocumentClient, runId: string): Promise<Row[]> {
  const { Items = [] } = await doc.send(
    new QueryCommand({
      TableName: "runs",
      KeyConditionExpression: "#run = :run",
      ExpressionAttributeNames: { "#run": RUNS.key },
      ExpressionAttributeValues: { ":run": runId },
    }),
  );
  return Items;
}

/** Hold ids are made of their run's; times are those of before. */
function copyOf(row: Row, runId: string, n: number): Row {
  const bare = runId.slice("run_".length);
  const [lane = "", key = "", generation = ""] = bare.split("-");
  const other = `${lane}-${key.slice(0, -6)}${n.toString(16).padStart(6, "0")}-${generation}`;
  const copied = JSON.parse(JSON.stringify(row).replaceAll(bare, other)) as Row;
  for (const time of ["createdAt", "openedAt", "settledAt"]) {
    if (typeof copied[time] === "number") copied[time] -= n * 1000;
  }
  return copied;
}
