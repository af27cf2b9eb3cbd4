import type { Code } from "mdast";
import * as z from "zod";

/** The keywords that a `json schema` block may use: objects, lists, choices, and limits of numbers and texts. */
const KEYWORDS = new Set([
  "type",
  "title",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minItems",
  "maxItems",
  "enum",
  "const",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
]);
const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);
const MAX_DEPTH = 20;

export const isSchemaBlock = (code: Code): boolean =>
  /^json$/i.test(code.lang ?? "") && /^schema\b/i.test(code.meta ?? "");

type Schema = Record<string, z.core.util.JSONType>;
export type SchemaText =
  | { ok: true; schema: Schema }
  | { ok: false; code: "MW311" | "MW312"; message: string; word: string | null };

const Json = z.json();

/** Reads the text of a `json schema` block; `word` is what to look for in it to show the place. */
export function readSchema(text: string): SchemaText {
  let value: z.core.util.JSONType;
  try {
    value = Json.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it nests too deeply";
    return { ok: false, code: "MW311", message: `The schema is not JSON: ${reason}`, word: null };
  }
  if (!isObject(value)) return unsupported("The schema must be a JSON object", null);
  return faultOf(value, 0) ?? { ok: true, schema: value };
}

const isObject = (value: z.core.util.JSONType | undefined): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const unsupported = (message: string, word: string | null): SchemaText & { ok: false } => ({
  ok: false,
  code: "MW312",
  message,
  word,
});

function faultOf(schema: Schema, depth: number): (SchemaText & { ok: false }) | undefined {
  if (depth > MAX_DEPTH) return unsupported("The schema nests too deeply", null);
  for (const [keyword, value] of Object.entries(schema)) {
    if (!KEYWORDS.has(keyword)) return unsupported(`Schema keyword "${keyword}" is not supported`, keyword);
    if (!hasForm(keyword, value))
      return unsupported(`Schema keyword "${keyword}" has a wrong value`, keyword);
  }
  const { properties, items } = schema;
  const inner = [
    ...(isObject(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
  ];
  for (const part of inner) {
    if (!isObject(part)) return unsupported("A property of a schema must be a JSON object", "properties");
    const fault = faultOf(part, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

function hasForm(keyword: string, value: z.core.util.JSONType): boolean {
  if (keyword === "type") {
    const types = Array.isArray(value) ? value : [value];
    return types.length > 0 && types.every((type) => typeof type === "string" && TYPES.has(type));
  }
  if (keyword === "properties" || keyword === "items") return isObject(value);
  if (keyword === "required") return Array.isArray(value) && value.every((name) => typeof name === "string");
  if (keyword === "enum") return Array.isArray(value) && value.length > 0;
  if (keyword === "additionalProperties") return typeof value === "boolean";
  if (keyword === "const") return true;
  if (keyword === "title" || keyword === "description") return typeof value === "string";
  if (typeof value !== "number") return false;
  return /^(?:min|max)(?:Items|Length)$/.test(keyword) ? Number.isInteger(value) && value >= 0 : true;
}
