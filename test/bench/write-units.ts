import { utf8Bytes } from "../../lib/core/bytes.ts";
import type { IndexDeclaration, TableDeclaration } from "../../infra/topology.ts";

type Row = Record<string, unknown>;

/**
 * The size of a row as DynamoDB counts it: names and values in UTF-8, numbers by their digits, a list or map 3
 * bytes and 1 for each member. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function rowBytes(row: Row): number {
  return Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + utf8Bytes(name) + valueBytes(value), 0);
}

function valueBytes(value: unknown): number {
  if (typeof value === "string") return utf8Bytes(value);
  if (typeof value === "number") return Math.ceil(String(Math.abs(value)).replace(".", "").length / 2) + 1;
  if (value instanceof Set) return [...value].reduce((sum: number, member) => sum + valueBytes(member), 0);
  if (Array.isArray(value)) return 3 + value.reduce((sum: number, member) => sum + 1 + valueBytes(member), 0);
  if (value !== null && typeof value === "object")
    return 3 + rowBytes(value as Row) + Object.keys(value).length;
  return 1;
}

/** One write unit for each KB begun, of the larger of the row before and after. */
const unitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** What a write costs: the row, and what it makes of each index. */
export function writeUnits(
  table: TableDeclaration,
  before: Row | undefined,
  after: Row,
): { row: number; indexes: number } {
  const row = unitsOf(Math.max(before ? rowBytes(before) : 0, rowBytes(after)));
  const indexes = table.indexes.reduce((sum, index) => sum + indexUnits(table, index, before, after), 0);
  return { row, indexes };
}

/** Nothing when the entry stays as it was; one write to put, drop or change it; two when its key moves. */
function indexUnits(
  table: TableDeclaration,
  index: IndexDeclaration,
  before: Row | undefined,
  after: Row,
): number {
  const old = before && entryOf(table, index, before);
  const now = entryOf(table, index, after);
  if (!old && !now) return 0;
  if (!old || !now) return unitsOf(rowBytes((now ?? old) as Row));
  const keys = [index.key?.name ?? table.key.name, index.sort.name];
  const moved = keys.some((key) => old[key] !== now[key]);
  if (moved) return unitsOf(rowBytes(old)) + unitsOf(rowBytes(now));
  return JSON.stringify(old) === JSON.stringify(now) ? 0 : unitsOf(rowBytes(now));
}

/** A row's entry in a sparse index: absent when one of the index's keys is. */
function entryOf(table: TableDeclaration, index: IndexDeclaration, row: Row): Row | undefined {
  const keys = [index.key?.name ?? table.key.name, index.sort.name];
  if (keys.some((key) => row[key] === undefined)) return undefined;
  const projected = [
    table.key.name,
    ...(table.sort ? [table.sort.name] : []),
    ...keys,
    ...(index.include ?? []),
  ];
  return Object.fromEntries([...new Set(projected)].map((name) => [name, row[name]]));
}

/** Reads: half a unit for each 4 KB begun, a whole one when consistent. */
export const readUnits = (bytes: number, isConsistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / 4096)) * (isConsistent ? 1 : 0.5);
