import type { IndexDeclaration, KeyAttribute, TableDeclaration } from "../../../infra/topology.ts";
import { invalid } from "./answers.ts";
import { compareTexts, conditionOf, type Row } from "./condition.ts";

type Query = {
  IndexName?: string;
  KeyConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  ProjectionExpression?: string;
  ScanIndexForward?: boolean;
  ConsistentRead?: boolean;
  Select?: string;
  Limit?: number;
  ExclusiveStartKey?: Row;
};

/** One table: its rows, and what each global index shows of them. */
export function createTable(
  name: string,
  declaration: TableDeclaration,
  { pageRows }: { pageRows?: number },
) {
  const { key, sort, indexes } = declaration;
  const partitions = new Map<string, Map<string, Row>>();
  const seen = new Map<string, Map<string, Row>>(indexes.map((index) => [index.name, new Map()]));
  const waiting: { key: Row; row: Row | undefined }[] = [];
  let isLagging = false;

  const partition = (value: string) => partitions.get(value) ?? new Map<string, Row>();
  const sortOf = (given: Row) => (sort ? String(given[sort.name]) : "");
  const placeOf = (given: Row) => `${String(given[key.name])}\n${sortOf(given)}`;
  const rows = () => [...partitions.values()].flatMap((held) => [...held.values()]);

  function show(given: Row, row: Row | undefined): void {
    for (const index of indexes) {
      const view = seen.get(index.name)!;
      if (row && isIn(index, row)) view.set(placeOf(given), row);
      else view.delete(placeOf(given));
    }
  }

  /** What a query reads: the base table, a local index (never behind), or a global one as far as it has come. */
  function source(index: IndexDeclaration | undefined, given: Query, partitionKey: unknown): Row[] {
    if (!index) return [...partition(String(partitionKey)).values()];
    if (index.kind === "local")
      return [...partition(String(partitionKey)).values()].filter((row) => isIn(index, row));
    if (given.ConsistentRead) throw invalid("Consistent reads are not supported on global secondary indexes");
    return [...seen.get(index.name)!.values()];
  }

  return {
    rows,
    keyOf(given: Row): Row {
      const found: Row = { [key.name]: given[key.name], ...(sort && { [sort.name]: given[sort.name] }) };
      if (Object.values(found).some((value) => value === undefined || value === "")) {
        throw invalid(`a key of ${name} is missing`);
      }
      return found;
    },
    read: (given: Row): Row | undefined => partition(String(given[key.name])).get(sortOf(given)),
    /** The row as a whole, or its removal. Rows are never changed in place. */
    write(given: Row, row: Row | undefined): void {
      const held = partition(String(given[key.name]));
      if (row) held.set(sortOf(given), row);
      else held.delete(sortOf(given));
      partitions.set(String(given[key.name]), held);
      if (isLagging) waiting.push({ key: given, row });
      else show(given, row);
    },
    /** Keys of the table and of its indexes have the declared type, where they are there. */
    checkKeys(row: Row): void {
      const keys = indexes.flatMap((index) => [index.sort, ...(index.key ? [index.key] : [])]);
      for (const attribute of [key, ...(sort ? [sort] : []), ...keys]) {
        const value = row[attribute.name];
        if (value === undefined) continue;
        if (typeof value !== (attribute.type === "N" ? "number" : "string")) {
          throw invalid(`Type mismatch for key ${attribute.name} of ${name}`);
        }
      }
    },
    setLag(lags: boolean): void {
      isLagging = lags;
      if (!lags) this.catchUp(waiting.length);
    },
    catchUp(changes: number): void {
      for (const { key: given, row } of waiting.splice(0, changes)) show(given, row);
    },
    query(given: Query) {
      const index = indexes.find((one) => one.name === given.IndexName);
      if (given.IndexName && !index) throw invalid(`${name} has no index ${given.IndexName}`);
      const condition = conditionOf(given.KeyConditionExpression);
      const placeholders = {
        names: given.ExpressionAttributeNames ?? {},
        values: given.ExpressionAttributeValues ?? {},
      };
      const partitionName = (index?.key ?? key).name;
      const order = sortKeys(index, declaration);
      const direction = given.ScanIndexForward === false ? -1 : 1;
      const compare = (a: Row, b: Row) => direction * compareBy(order, a, b);
      // The key condition names the partition's value somewhere: a row that satisfies it has it.
      const partitionKey = partitionValue(given, partitionName);
      const start = given.ExclusiveStartKey;
      const found = source(index, given, partitionKey)
        .filter((row) => condition(row, placeholders))
        .sort(compare)
        .filter((row) => !start || compare(row, start) > 0);
      const limit = Math.min(given.Limit ?? Infinity, pageRows ?? Infinity);
      const page = found.slice(0, limit);
      const last = page.length >= limit ? page.at(-1) : undefined;
      const next =
        last &&
        Object.fromEntries([partitionName, ...order].map((attribute) => [attribute, last[attribute]]));
      const items = page.map((row) => projected(row, index, declaration, given));
      return {
        Count: items.length,
        ...(given.Select !== "COUNT" && { Items: structuredClone(items) }),
        ...(next && { LastEvaluatedKey: next }),
      };
    },
  };
}
export type Table = ReturnType<typeof createTable>;

function isIn(index: IndexDeclaration, row: Row): boolean {
  return [index.sort, ...(index.key ? [index.key] : [])].every(({ name }) => row[name] !== undefined);
}

/** What rows of one partition are ordered by; the table's keys make the order of an index whole. */
function sortKeys(index: IndexDeclaration | undefined, { key, sort }: TableDeclaration): string[] {
  const own = [key, ...(sort ? [sort] : [])].map((attribute: KeyAttribute) => attribute.name);
  if (!index) return sort ? [sort.name] : [];
  return [...new Set([index.sort.name, ...own])];
}

function compareBy(order: readonly string[], a: Row, b: Row): number {
  for (const name of order) {
    const [left, right] = [a[name], b[name]];
    const difference =
      typeof left === "number" && typeof right === "number"
        ? left - right
        : compareTexts(String(left), String(right));
    if (difference !== 0) return difference;
  }
  return 0;
}

function partitionValue(given: Query, partitionName: string): unknown {
  const names = given.ExpressionAttributeNames ?? {};
  const [, placeholder = "", value = ""] =
    /^\s*(#?\w+)\s*=\s*(:\w+)/.exec(given.KeyConditionExpression) ?? [];
  if ((names[placeholder] ?? placeholder) !== partitionName) {
    throw invalid(`the key condition does not begin with ${partitionName}`);
  }
  return given.ExpressionAttributeValues?.[value];
}

function projected(
  row: Row,
  index: IndexDeclaration | undefined,
  { key, sort }: TableDeclaration,
  given: Query,
): Row {
  const shown = index && [key, sort, index.key, index.sort].flatMap((attribute) => attribute?.name ?? []);
  const inIndex = shown ? picked(row, [...shown, ...(index?.include ?? [])]) : row;
  if (given.ProjectionExpression === undefined) return inIndex;
  const names = given.ExpressionAttributeNames ?? {};
  const asked = given.ProjectionExpression.split(",").map((name) => name.trim());
  return picked(
    inIndex,
    asked.map((name) => names[name] ?? name),
  );
}

const picked = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])));
