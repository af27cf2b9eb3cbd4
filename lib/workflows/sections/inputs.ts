import type * as z from "zod";
import { nearest } from "../../core/text.ts";
import { didYouMean } from "../diagnostics.ts";
import type { Field, Token } from "../field.ts";
import { Input } from "../manifest.ts";
import { inputFault } from "../payload.ts";
import { proseOf } from "../value.ts";
import type { SectionContext } from "./section.ts";
import { readWhole } from "./unread.ts";

const INPUT_TYPES = ["string", "number", "boolean", "url", "memo", "json"] as const;

export type ReadInput = { input: Input; field: Field };

/** The Inputs, each with the field it was read from; `complete` is false when one could not be read. */
export function readInputs(
  fields: readonly Field[],
  context: SectionContext,
): { inputs: ReadInput[]; complete: boolean } {
  const { report } = context;
  const many = Number.POSITIVE_INFINITY;
  let complete = true;
  const inputs: ReadInput[] = [];
  for (const field of fields) {
    const read = readInput(field);
    const hint = '"- **Input** `topic` string — what it is".';
    if (typeof read === "string") {
      complete = false;
      report.error("MW115", field.value.end > field.value.start ? field.value : field.span, read, { hint });
    } else if (inputs.some(({ input }) => input.name === read.name)) {
      report.error("MW007", field.span, `Input "${read.name}" is set twice`, { hint: "Keep one." });
    } else {
      readWhole(field, { values: many, memos: many, words: true }, context, () =>
        inputs.push({ input: read, field }),
      );
    }
  }
  return { inputs, complete };
}

const TYPE = new RegExp(`^\\s*(${INPUT_TYPES.join("|")})(\\?)?(?![\\w?])`);

function readInput(field: Field): Input | string {
  const fault = "An Input needs a name and a type";
  const [name, ...rest] = field.tokens.filter((token) => token.kind !== "text" || token.text.trim() !== "");
  if (name?.kind !== "code" || !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name.text)) return fault;
  if (name.text === "__proto__") return `"${name.text}" cannot be the name of an Input`;
  const [type, ...after] = rest;
  const match = type && type.kind !== "ref" ? TYPE.exec(type.text) : null;
  if (!type || !match || (type.kind === "code" && match[0] !== type.text)) {
    const word = type && /^\s*([^\s—–;,]+)/.exec(type.text)?.[1];
    const near = word === undefined ? undefined : nearest(word, INPUT_TYPES);
    if (word === undefined) return fault;
    return `"${word}" is not a type of Input. ${didYouMean(near) ?? `Types: ${INPUT_TYPES.join(", ")}.`}`;
  }
  const words =
    type.kind === "code" ? after : [{ ...type, text: type.text.slice(match[0].length) }, ...after];
  const byDefault = takeDefault(words);
  const description = proseOf(byDefault.words).replace(/^[\s—–;,.:-]+|[\s;,]+$/g, "");
  const optional = match[2] === "?";
  const input: Input = {
    name: name.text,
    type: match[1] as Input["type"],
    required: !optional && byDefault.json === undefined,
    description,
  };
  if (byDefault.json === undefined) return input;
  const value = Input.shape.default.safeParse(parsed(byDefault.json));
  if (!value.success || value.data === undefined) return `The default of "${input.name}" is not JSON`;
  const wrong = value.data === null ? null : inputFault(input.type, value.data);
  if (wrong) return `The default of "${input.name}" ${wrong}`;
  return { ...input, default: value.data };
}

const DEFAULT = /[;,.]?\s*\bdefault\s*[:=]?\s*$/i;

/** Takes `default` and the argument after it out of the words. */
function takeDefault(words: readonly Token[]): { words: Token[]; json?: string } {
  for (const [index, token] of words.entries()) {
    const value = words[index + 1];
    if (token.kind !== "text" || value?.kind !== "code" || !DEFAULT.test(token.text)) continue;
    const before = { ...token, text: token.text.replace(DEFAULT, "") };
    return { words: [...words.slice(0, index), before, ...words.slice(index + 2)], json: value.text };
  }
  return { words: [...words] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON Schema of what a caller sends, published for editors, agents and forms. */
export function inputSchemaOf(inputs: readonly Input[]): Record<string, z.core.util.JSONType> {
  const properties = Object.fromEntries(
    inputs.map((input) => [
      input.name,
      {
        ...SCHEMA[input.type],
        ...(input.description ? { description: input.description } : {}),
        ...(input.default === undefined ? {} : { default: input.default }),
      },
    ]),
  );
  const required = inputs.filter((input) => input.required).map((input) => input.name);
  return { type: "object", ...(required.length > 0 ? { required } : {}), properties };
}

const SCHEMA = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  url: { type: "string", format: "uri" },
  memo: { type: "string", format: "memo-id" },
  json: {},
} as const satisfies Record<Input["type"], object>;
