import dynaliteDb, { type Item, type Level, type Table, type Write } from "dynalite/db/index.js";

/** Rows written at once: large enough to be quick, small enough to stay far below the engine's memory. */
const BATCH = 500;

/**
 * Makes every index agree with its table again. The engine writes an item and its index rows one after the
 * other, so a killed process may leave a row of an item that was never written, or an item without its row.
 * The items are the truth; safe to repeat, and to stop half way as long as it is done again.
 */
export async function rebuildIndexes(path: string): Promise<{ tables: number; rows: number }> {
  const { db } = dynaliteDb.create({ path });
  await db.open();
  let tables = 0;
  let rows = 0;
  for await (const [, table] of db.iterator(under("table~"))) {
    rows += await rebuildTable(db, table as Table);
    tables += 1;
  }
  await db.close();
  return { tables, rows };
}

/** Makes the indexes of one table agree with its items. */
export async function rebuildTable(db: Level, table: Table): Promise<number> {
  const kinds = [
    { prefix: `index-local~${table.TableName}~`, indexes: table.LocalSecondaryIndexes ?? [] },
    { prefix: `index-global~${table.TableName}~`, indexes: table.GlobalSecondaryIndexes ?? [] },
  ];
  for (const { prefix } of kinds) await db.clear(under(prefix));
  let rows = 0;
  let batch: Write[] = [];
  for await (const [, item] of db.iterator(under(`item-${table.TableName}~`))) {
    for (const { prefix, indexes } of kinds) {
      const { puts } = dynaliteDb.getIndexActions(indexes, undefined, item as Item, table);
      for (const put of puts)
        batch.push({ type: "put", key: `${prefix}${put.index}~${put.key}`, value: put.item });
    }
    if (batch.length >= BATCH) {
      rows += batch.length;
      await db.batch(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await db.batch(batch);
  return rows + batch.length;
}

/** Every key behind a prefix; the engine's keys are plain ASCII. */
export const under = (prefix: string) => ({ gte: prefix, lt: `${prefix}\u{ffff}` });
