import { expect, test } from "vitest";
import { schemaFailures } from "../../../lib/model/check-schema.ts";
import type { JsonSchema } from "../../../lib/model/schema.ts";

const schema: JsonSchema = {
  type: "object",
  required: ["label"],
  additionalProperties: false,
  properties: {
    label: { enum: ["do", { a: [1] }] },
    "a/b": { type: "string", minLength: 2, maxLength: 3 },
    n: { type: ["integer", "null"], minimum: 1, exclusiveMaximum: 3 },
    list: { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } },
  },
};

test("finds nothing wrong with a value that fits", () => {
  expect(schemaFailures(schema, { label: { a: [1] }, "a/b": "x🦉", n: null, list: ["a"] })).toEqual([]);
});

test.each([
  [[], "", "must be object"],
  [{}, "/label", "is required"],
  [{ label: "no" }, "/label", 'must be one of "do", {"a":[1]}'],
  [{ label: "do", more: 1 }, "/more", "is not a known field"],
  [{ label: "do", "a/b": "x" }, "/a~1b", "must have at least 2 characters"],
  [{ label: "do", "a/b": "xxxx" }, "/a~1b", "must have at most 3 characters"],
  [{ label: "do", n: 0 }, "/n", "must be at least 1"],
  [{ label: "do", n: 3 }, "/n", "must be below 3"],
  [{ label: "do", n: 1.5 }, "/n", "must be integer or null"],
  [{ label: "do", list: [] }, "/list", "must have at least 1 items"],
  [{ label: "do", list: ["a", 2] }, "/list/1", "must be string"],
])("names the place and what was allowed in %j", (value, pointer, message) => {
  expect(schemaFailures(schema, value)).toContainEqual({ pointer, message });
});

test("requires a field of its own, not one that every object has", () => {
  expect(schemaFailures({ required: ["constructor"] }, {})).toHaveLength(1);
});
