declare module "dynalite" {
  import type { Server } from "node:http";
  /** An embedded DynamoDB; on disk when a path is given. */
  export default function dynalite(options: {
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
    maxItemSizeKb?: number;
  }): Server;
}

declare module "dynalite/db/index.js" {
  export type Item = Record<string, Record<string, unknown>>;
  export type Index = { IndexName: string };
  export type Table = {
    TableName: string;
    TableArn?: string;
    AttributeDefinitions?: { AttributeName: string | undefined; AttributeType: string | undefined }[];
    LocalSecondaryIndexes?: Index[];
    GlobalSecondaryIndexes?: Index[];
  };
  export type Write = { type: "put"; key: string; value: unknown } | { type: "del"; key: string };
  export type Level = {
    open(): Promise<void>;
    iterator(range: { gte: string; lt: string }): AsyncIterable<[string, unknown]>;
    clear(range: { gte: string; lt: string }): Promise<void>;
    batch(writes: Write[]): Promise<void>;
    close(): Promise<void>;
  };
  const db: {
    create(options: { path: string }): { db: Level };
    getIndexActions(
      indexes: Index[],
      existing: Item | undefined,
      item: Item | undefined,
      table: Table,
    ): { puts: { index: string; key: string; item: Item }[]; deletes: { index: string; key: string }[] };
  };
  export default db;
}
