import * as z from "zod";
import { AGENT_TOOLS } from "../../lib/agent-tools/agent-tools.ts";

type Json = Record<string, unknown>;

/** The tools of agents as they are listed, in as few words as say it: every client's model reads them. */
export const listedTools = (): Json[] =>
  AGENT_TOOLS.map(({ name, description, input, output, hints }) => ({
    name,
    description,
    inputSchema: briefSchema(z.toJSONSchema(input, { io: "input", unrepresentable: "any" })),
    outputSchema: briefSchema(z.toJSONSchema(output, { io: "output", unrepresentable: "any" })),
    annotations: hints,
  }));

/** The list as its file holds it. */
export const listedToolsText = (): string => `${JSON.stringify(listedTools(), null, 1)}\n`;

/** Said by every schema and helping no reader: open objects, bounds of the language's numbers, the dialect. */
const LEFT_OUT = new Set(["$schema", "$defs", "additionalProperties", "propertyNames", "default"]);

function briefSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(briefSchema);
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return {};
  const entries = Object.entries(value).filter(
    ([key, member]) => !(LEFT_OUT.has(key) && !isNamed(value, key)) && !isAnyBound(key, member),
  );
  return Object.fromEntries(entries.map(([key, member]) => [key, briefSchema(member)]));
}

/** A property of that very name, inside `properties`, has a schema and no keyword's value. */
const isNamed = (value: object, key: string): boolean => {
  const member = (value as Json)[key];
  return key === "default" && typeof member === "object" && member !== null && "type" in member;
};

const isAnyBound = (key: string, member: unknown): boolean =>
  (key === "maximum" && member === Number.MAX_SAFE_INTEGER) ||
  (key === "minimum" && member === Number.MIN_SAFE_INTEGER) ||
  key === "maxLength" ||
  key === "minLength" ||
  key === "maxItems" ||
  (key === "type" && member === undefined);
