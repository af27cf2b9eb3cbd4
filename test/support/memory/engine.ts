import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { TABLES, type TableDeclaration, type TableName } from "../../../infra/topology.ts";
import { conditionFailed, invalid } from "./answers.ts";
import { conditionOf, type Placeholders, type Row } from "./condition.ts";
import { createTable, type Table } from "./table.ts";
import { updated } from "./update.ts";

/** One write as it was made: what stood there before and what stands there now. */
export type Applied = { table: TableName; before: Row | undefined; after: Row | undefined };

/** The parts of a request that our stores send. */
type Input = {
  TableName?: string;
  Key?: Row;
  Item?: Row;
  RequestItems?: Record<string, { Keys?: Row[] }>;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  ReturnValues?: string;
};
export type Command = { constructor: { name: string }; input: Input };

const WRITES = new Set(["PutCommand", "UpdateCommand", "DeleteCommand"]);
export const isWrite = (command: Command): boolean => WRITES.has(command.constructor.name);

/**
 * The declared tables in memory, answering the commands that our stores send as DynamoDB does. One client under the
 * real stores proves more than stores written twice: their expressions, keys, pages and parsing are what runs.
 */
export function createMemoryEngine(
  options: {
    /** No page has more rows than this, whatever was asked. */
    pageRows?: number;
    /** Stands between the client and the tables. */
    rewrite?: (command: Command) => Command;
  } = {},
) {
  const tables = new Map<string, Table>(
    Object.entries(TABLES as Record<string, TableDeclaration>).map(([name, declaration]) => [
      name,
      createTable(name, declaration, options),
    ]),
  );
  const listeners: ((write: Applied) => void)[] = [];
  const tableOf = (name: string | undefined): Table => {
    const table = tables.get(name ?? "");
    if (!table) throw invalid(`Requested resource not found: ${name}`);
    return table;
  };

  /** Applies one write: the condition and the change are one step. */
  function write(input: Input, change: (old: Row | undefined) => Row | undefined): Applied {
    const table = tableOf(input.TableName);
    const key = table.keyOf(input.Key ?? input.Item ?? {});
    const before = table.read(key);
    if (input.ConditionExpression !== undefined) {
      if (!conditionOf(input.ConditionExpression)(before ?? {}, placeholders(input))) throw conditionFailed();
    }
    const after = change(before);
    if (after) table.checkKeys(after);
    table.write(key, after);
    const applied = { table: input.TableName as TableName, before, after };
    for (const listener of listeners) listener(applied);
    return applied;
  }

  const COMMANDS: Record<string, (input: Input) => unknown> = {
    GetCommand(input) {
      const table = tableOf(input.TableName);
      const item = table.read(table.keyOf(input.Key ?? {}));
      return item ? { Item: structuredClone(item) } : {};
    },
    BatchGetCommand(input) {
      const found = Object.entries(input.RequestItems ?? {}).map(([name, { Keys = [] }]) => {
        const table = tableOf(name);
        const rows = Keys.map((key) => table.read(table.keyOf(key))).filter((row) => row !== undefined);
        return [name, structuredClone(rows)];
      });
      return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
    },
    QueryCommand: (input) => tableOf(input.TableName).query(input as never),
    PutCommand(input) {
      write(input, () => stored(input.Item ?? {}));
      return {};
    },
    UpdateCommand(input) {
      const { before, after } = write(input, (old) => {
        const from = old ?? { ...input.Key };
        const given = placeholders(input);
        return input.UpdateExpression === undefined ? from : updated(from, input.UpdateExpression, given);
      });
      if (input.ReturnValues === "ALL_NEW") return { Attributes: structuredClone(after) };
      if (input.ReturnValues !== "UPDATED_NEW") return {};
      const changed = Object.entries(after ?? {}).filter(([name, value]) => before?.[name] !== value);
      return { Attributes: structuredClone(Object.fromEntries(changed)) };
    },
    DeleteCommand(input) {
      write(input, () => undefined);
      return {};
    },
  };

  /** Answers at once; a caller that awaits it sees a promise, as from the SDK. */
  function answer(command: Command): unknown {
    const handle = COMMANDS[command.constructor.name];
    if (!handle) throw new Error(`the memory engine knows no ${command.constructor.name}`);
    // As they go over the wire: nothing that is undefined, and nothing shared with the caller.
    return handle(stored((options.rewrite?.(command) ?? command).input) as Input);
  }

  return {
    answer,
    doc: clientOf(async (command) => answer(command)),
    tables: Object.fromEntries(Object.keys(TABLES).map((name) => [name, name])) as Record<TableName, string>,
    onWrite: (listener: (write: Applied) => void) => void listeners.push(listener),
    rows: (name: TableName): Row[] => tableOf(name).rows(),
    /** From here on the indexes show what `catchUp` lets through. */
    setLag(isLagging: boolean) {
      for (const table of tables.values()) table.setLag(isLagging);
    },
    /** Lets the oldest of the changes that wait reach their indexes. */
    catchUp(changes: number) {
      for (const table of tables.values()) table.catchUp(changes);
    },
    /** A copy of every row; the indexes of the copy are up to date. */
    snapshot: (): Record<string, Row[]> =>
      Object.fromEntries([...tables].map(([name, table]) => [name, structuredClone(table.rows())])),
    restore(rows: Record<string, Row[]>) {
      for (const [name, table] of tables) {
        for (const row of rows[name] ?? []) table.write(table.keyOf(row), structuredClone(row));
      }
    },
  };
}
export type MemoryEngine = ReturnType<typeof createMemoryEngine>;

/** A document client of one function; nothing else of the SDK's client is used by our stores. */
export const clientOf = (send: (command: Command) => Promise<unknown>): DynamoDBDocumentClient =>
  ({ send }) as unknown as DynamoDBDocumentClient;

const placeholders = (input: Input): Placeholders => ({
  names: input.ExpressionAttributeNames ?? {},
  values: input.ExpressionAttributeValues ?? {},
});

/** A value as the marshaller leaves it: without what is undefined, at any depth. */
function stored<T>(value: T): T {
  if (value instanceof Set) return new Set(value) as T;
  if (Array.isArray(value)) return value.filter((one) => one !== undefined).map(stored) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([name, one]) => [name, stored(one as unknown)])) as T;
}
