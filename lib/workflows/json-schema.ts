import * as z from "zod";
import { Manifest, type Input } from "./manifest.ts";
import { MEMO_VALUES } from "./payload.ts";

export type JsonSchema = Record<string, z.core.util.JSONType>;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The published JSON Schema of a compiled manifest: what `Manifest` accepts, for readers in any language. */
export function manifestSchema(): JsonSchema {
  const schema = z.toJSONSchema(Manifest, { target: "draft-2020-12" });
  return { title: "Workflow manifest", ...(JSON.parse(JSON.stringify(schema)) as JsonSchema) };
}

/** The published JSON Schema of what a caller sends to start a workflow; the check at enqueue is its owner. */
export function payloadSchema({ title, trigger }: Pick<Manifest, "title" | "trigger">): JsonSchema {
  const { command, summary, inputs, invoke } = trigger;
  const filled = inputs.length > 0 && invoke.some(({ kind }) => kind === "memo") ? MEMO_VALUES : [];
  const required = inputs.filter((input) => input.required).map(({ name }) => name);
  return {
    $schema: DIALECT,
    title: `${title} (${command})`,
    ...(summary ? { description: summary } : {}),
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries([
      ...filled.map((name) => [name, {}] as const),
      ...inputs.map((input) => [input.name, valueSchema(input)] as const),
    ]),
    // With Inputs a name that none of them has is refused; without any the payload is free.
    additionalProperties: inputs.length === 0,
  };
}

function valueSchema(input: Input): JsonSchema {
  const schema = SCHEMAS[input.type];
  return {
    ...(input.required ? schema : orNull(schema)),
    ...(input.description ? { description: input.description } : {}),
    ...(input.default === undefined ? {} : { default: input.default }),
  };
}

const SCHEMAS: Record<Input["type"], JsonSchema> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  url: { type: "string", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://", maxLength: 2048 },
  memo: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$" },
  json: { not: { type: "null" } },
};

/** An optional input may be null. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  return type === undefined ? {} : { ...schema, type: [type, "null"] };
}
