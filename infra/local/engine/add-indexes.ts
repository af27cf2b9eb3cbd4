import dynaliteDb, { type Table } from "dynalite/db/index.js";
import { TABLES, type TableName } from "../../topology.ts";
import { createTableRequest } from "../create-tables.ts";
import { rebuildTable, under } from "./rebuild-indexes.ts";

/**
 * Gives the tables of a data folder the indexes that have been declared since it was made: the engine cannot add one
 * to a table, and a query by an index that is not there fails. Safe to repeat, and to stop half way. Indexes inside a
 * partition are made with their table alone, here as on AWS.
 */
export async function addIndexes(path: string): Promise<string[]> {
  const { db } = dynaliteDb.create({ path });
  await db.open();
  const added: string[] = [];
  try {
    for await (const [key, value] of db.iterator(under("table~"))) {
      const table = value as Table;
      const missing = missingIndexes(table);
      if (missing.length === 0) continue;
      const whole = withIndexes(table, missing);
      await rebuildTable(db, whole);
      // Last: until the table names it, the next start does it again.
      await db.batch([{ type: "put", key, value: whole }]);
      added.push(...missing.map(({ IndexName }) => `${table.TableName} ${IndexName}`));
    }
  } finally {
    await db.close();
  }
  return added;
}

type Declared = ReturnType<typeof createTableRequest>;

const declaredOf = (name: string): Declared | undefined =>
  Object.hasOwn(TABLES, name) ? createTableRequest(name, TABLES[name as TableName]) : undefined;

function missingIndexes(table: Table): NonNullable<Declared["GlobalSecondaryIndexes"]> {
  const known = new Set((table.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName));
  const declared = declaredOf(table.TableName)?.GlobalSecondaryIndexes ?? [];
  return declared.filter(({ IndexName }) => IndexName !== undefined && !known.has(IndexName));
}

/** The table as the engine stores it once it has these indexes. */
function withIndexes(table: Table, missing: NonNullable<Declared["GlobalSecondaryIndexes"]>): Table {
  const attributes = new Map(
    [...(declaredOf(table.TableName)?.AttributeDefinitions ?? []), ...(table.AttributeDefinitions ?? [])].map(
      (attribute) => [attribute.AttributeName, attribute],
    ),
  );
  const indexes = missing.map((index) => ({
    ...index,
    IndexName: String(index.IndexName),
    IndexArn: `${table.TableArn}/index/${index.IndexName}`,
    IndexSizeBytes: 0,
    ItemCount: 0,
    IndexStatus: "ACTIVE",
    ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 },
  }));
  return {
    ...table,
    AttributeDefinitions: [...attributes.values()],
    GlobalSecondaryIndexes: [...(table.GlobalSecondaryIndexes ?? []), ...indexes],
  };
}
