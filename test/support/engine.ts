import type { AddressInfo } from "node:net";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import dynalite from "dynalite";
import { createTableRequest } from "../../infra/local/create-tables.ts";
import { TABLES, type TableName } from "../../infra/topology.ts";

/** A real embedded engine in memory with every declared table, and what was asked of it by operation name. */
export type Engine = {
  doc: DynamoDBDocumentClient;
  endpoint: string;
  tables: Record<TableName, string>;
  /** Requests since the last reset, by operation: `{ PutItem: 3 }`. */
  counts(): Record<string, number>;
  resetCounts(): void;
  stop(): Promise<void>;
};

/** Starts the engine on a free port of the loopback. */
export async function startEngine(): Promise<Engine> {
  const server = dynalite({ createTableMs: 0 });
  const counted = new Map<string, number>();
  server.on("request", (request) => {
    const operation = String(request.headers["x-amz-target"] ?? "").split(".")[1] ?? "unknown";
    counted.set(operation, (counted.get(operation) ?? 0) + 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient({
    endpoint,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const tables = {} as Record<TableName, string>;
  for (const name of Object.keys(TABLES) as TableName[]) {
    tables[name] = name;
    await client.send(new CreateTableCommand(createTableRequest(name, TABLES[name])));
  }
  counted.clear();
  return {
    doc: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    endpoint,
    tables,
    counts: () => Object.fromEntries(counted),
    resetCounts: () => counted.clear(),
    async stop() {
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
