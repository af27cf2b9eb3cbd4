import type { Failing } from "../core/errors.ts";
import type { JsonSchema } from "./schema.ts";

const MAX_FAILING = 20;

/** Where a value does not fit a schema of the subset that `Returns json` takes; empty when it fits. */
export function schemaFailures(schema: JsonSchema, value: unknown): Failing[] {
  const failing: Failing[] = [];
  check(schema, value, "", failing);
  return failing.slice(0, MAX_FAILING);
}

function check(schema: JsonSchema, value: unknown, pointer: string, failing: Failing[]): void {
  const fail = (message: string) => failing.push({ pointer, message });
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    fail(`must be ${types.join(" or ")}`);
    return;
  }
  if (Array.isArray(schema["enum"]) && !schema["enum"].some((allowed) => sameJson(allowed, value))) {
    fail(`must be one of ${schema["enum"].map((allowed) => JSON.stringify(allowed)).join(", ")}`);
  }
  if ("const" in schema && !sameJson(schema["const"], value)) {
    fail(`must be ${JSON.stringify(schema["const"])}`);
  }
  if (typeof value === "string") checkString(schema, value, fail);
  else if (typeof value === "number") checkNumber(schema, value, fail);
  else if (Array.isArray(value)) {
    checkCount(schema, "Items", value.length, fail);
    const items = schemaAt(schema["items"]);
    if (items) value.forEach((item, index) => check(items, item, `${pointer}/${index}`, failing));
  } else if (isRecord(value)) checkObject(schema, value, pointer, failing);
}

function checkObject(schema: JsonSchema, value: JsonSchema, pointer: string, failing: Failing[]): void {
  for (const name of requiredOf(schema)) {
    if (!Object.hasOwn(value, name)) failing.push({ pointer: at(pointer, name), message: "is required" });
  }
  const properties = propertiesOf(schema);
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own) check(own, member, at(pointer, name), failing);
    else if (schema["additionalProperties"] === false) {
      failing.push({ pointer: at(pointer, name), message: "is not a known field" });
    }
  }
}

function checkString(schema: JsonSchema, value: string, fail: (message: string) => void): void {
  // JSON Schema counts characters, not UTF-16 units.
  checkCount(schema, "Length", Array.from(value).length, fail);
}

function checkNumber(schema: JsonSchema, value: number, fail: (message: string) => void): void {
  const limit = (keyword: string) => (typeof schema[keyword] === "number" ? schema[keyword] : undefined);
  const [minimum, maximum] = [limit("minimum"), limit("maximum")];
  const [above, below] = [limit("exclusiveMinimum"), limit("exclusiveMaximum")];
  if (minimum !== undefined && value < minimum) fail(`must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) fail(`must be at most ${maximum}`);
  if (above !== undefined && value <= above) fail(`must be above ${above}`);
  if (below !== undefined && value >= below) fail(`must be below ${below}`);
}

function checkCount(
  schema: JsonSchema,
  of: "Items" | "Length",
  count: number,
  fail: (message: string) => void,
): void {
  const [least, most] = [schema[`min${of}`], schema[`max${of}`]];
  const noun = of === "Items" ? "items" : "characters";
  if (typeof least === "number" && count < least) fail(`must have at least ${least} ${noun}`);
  if (typeof most === "number" && count > most) fail(`must have at most ${most} ${noun}`);
}

const at = (pointer: string, name: string): string =>
  `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

const isRecord = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type && (type !== "number" || Number.isFinite(value));
}

/** The types that a schema allows; none when it names none. */
export function typesOf(schema: JsonSchema): string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === "string") : [];
}

/** The fields that an object schema describes. */
export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  const properties = schemaAt(schema["properties"]) ?? {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) => (isRecord(value) ? [[name, value]] : [])),
  );
}

/** The fields that an object schema requires. */
export const requiredOf = (schema: JsonSchema): string[] =>
  Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : [];

/** A keyword's value where it is a schema itself. */
export const schemaAt = (value: unknown): JsonSchema | undefined => (isRecord(value) ? value : undefined);
