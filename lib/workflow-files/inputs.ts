import * as z from "zod";
import { inputSchemaOf } from "../workflows/sections/inputs.ts";
import type { Input, Manifest } from "../workflows/manifest.ts";
import { inputFault } from "../workflows/payload.ts";
import { fieldsOf } from "./fields.ts";
import { jsonOf, type MapValue } from "./front-matter.ts";
import type { FileReport } from "./report.ts";

/** How each type of an input is checked when somebody sends it, and how it is published. */
const TYPES = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  url: "url",
  memo: "memo",
  array: "json",
  object: "json",
  json: "json",
} as const satisfies Record<string, Input["type"]>;
type TypeName = keyof typeof TYPES;
const TYPE_NAMES = Object.keys(TYPES) as TypeName[];

const INPUT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export type ReadInputs = { inputs: Input[]; inputSchema: Manifest["trigger"]["inputSchema"] };

/**
 * The inputs of a file. One is required only when it says so and has no default. A default is published and never
 * filled in: the workflow's own first step says what a missing value means.
 */
export function readInputs(map: MapValue | undefined, report: FileReport): ReadInputs {
  const inputs: Input[] = [];
  const defaults = new Map<string, z.core.util.JSONType>();
  for (const [name, { key, value }] of map?.members ?? []) {
    if (!INPUT_NAME.test(name)) {
      report.error(
        "WF012",
        key,
        `"${name}" cannot be the name of an input`,
        "A letter, then letters, digits and _.",
      );
    } else if (value.kind !== "map") {
      report.error(
        "WF012",
        value.span,
        `Input "${name}" must be names and their values`,
        "At least its type.",
      );
    } else {
      const fields = fieldsOf(
        value,
        ["type", "description", "default", "required"],
        `input "${name}"`,
        report,
      );
      const type = fields.needs("type") ? fields.oneOf("type", TYPE_NAMES) : undefined;
      const description = fields.text("description", { max: 2000 }) ?? "";
      const required = fields.flag("required") === true && !fields.has("default");
      if (type === undefined) continue;
      inputs.push({ name, type: TYPES[type], required, description });
      const member = fields.value("default");
      if (!member) continue;
      const byDefault = z.json().parse(jsonOf(member));
      const fault = byDefault === null ? null : faultOf(type, byDefault);
      if (fault) report.error("WF012", member.span, `The default of "${name}" ${fault}`);
      else defaults.set(name, byDefault);
    }
  }
  return { inputs, inputSchema: schemaOf(inputs, defaults) };
}

function faultOf(type: TypeName, value: z.core.util.JSONType): string | null {
  if (type === "array") return Array.isArray(value) ? null : "must be a list";
  return inputFault(TYPES[type], value);
}

function schemaOf(
  inputs: readonly Input[],
  defaults: ReadonlyMap<string, z.core.util.JSONType>,
): Manifest["trigger"]["inputSchema"] {
  const published = inputs.map((input) => {
    const byDefault = defaults.get(input.name);
    return byDefault === undefined ? input : { ...input, default: byDefault };
  });
  return inputSchemaOf(published);
}
