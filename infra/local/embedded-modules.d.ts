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
