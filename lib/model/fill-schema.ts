import { foldWhitespace, truncate } from "../core/text.ts";
import type { Brief, Fact } from "./brief.ts";
import { propertiesOf, requiredOf, schemaAt, schemaFailures, typesOf } from "./check-schema.ts";
import { chooseValue, type Choice } from "./choose-value.ts";
import type { Quote } from "./quotes.ts";
import type { JsonSchema } from "./schema.ts";

/** Words shared are weak evidence, and a threshold in a Policy must be able to tell. */
export const OFFLINE_CONFIDENCE = 0.3;

/** What a schema is filled from. */
export type Material = {
  brief: Pick<Brief, "topic" | "question">;
  facts: readonly Fact[];
  /** Passages of the memos, best first. */
  quotes: readonly Quote[];
  rules: readonly string[];
  evidence: readonly { text: string; weight: number }[];
  maxItems: number;
};

export type Filled = { filled: true; value: unknown } | { filled: false; what: string };

/** A value that fits the schema, by shared words; or what could not be filled. */
export function fillSchema(schema: JsonSchema, material: Material): Filled {
  const filled = fill(schema, "", material, []);
  if (!filled.filled) return filled;
  const failure = schemaFailures(schema, filled.value)[0];
  return failure ? { filled: false, what: `${failure.pointer || "the value"} ${failure.message}` } : filled;
}

/** `choices` are those made so far, so that a reason can say what it is a reason for. */
function fill(schema: JsonSchema, name: string, material: Material, choices: Choice[]): Filled {
  if ("const" in schema) return done(schema["const"]);
  if (Array.isArray(schema["enum"])) {
    const choice = chooseValue(schema["enum"], material.rules, material.evidence);
    choices.push(choice);
    return choice.value === undefined ? cannot(name, "has no allowed value") : done(choice.value);
  }
  const given = material.facts.find((fact) => fact.name === name && name !== "");
  const types = typesOf(schema);
  const type =
    types.find((candidate) => candidate !== "null") ?? (schema["properties"] ? "object" : types[0]);
  const value = ((): Filled => {
    switch (type) {
      case "object":
        return fillObject(schema, name, material, choices);
      case "array":
        return fillArray(schema, name, material, choices);
      case "number":
      case "integer":
        return fillNumber(schema, name, given, type);
      case "boolean":
        return done(given ? given.text === "true" : false);
      case "null":
        return done(null);
      default:
        return fillString(schema, name, given, material, choices);
    }
  })();
  return !value.filled && types.includes("null") ? done(null) : value;
}

const done = (value: unknown): Filled => ({ filled: true, value });
const cannot = (name: string, why: string): Filled => ({
  filled: false,
  what: `${name === "" ? "the value" : `"${name}"`} ${why}`,
});

function fillObject(schema: JsonSchema, name: string, material: Material, choices: Choice[]): Filled {
  const properties = propertiesOf(schema);
  const required = new Set(requiredOf(schema));
  const unknown = [...required].find((field) => !Object.hasOwn(properties, field));
  if (unknown !== undefined) return cannot(unknown, "is required but not described");
  const fields = new Map<string, unknown>();
  // Choices first: reasons and notes are about them, wherever they stand in the schema.
  const order = Object.keys(properties).toSorted(
    (a, b) => Number(Array.isArray(properties[b]?.["enum"])) - Number(Array.isArray(properties[a]?.["enum"])),
  );
  for (const field of order) {
    const value = fill(properties[field] ?? {}, field, material, choices);
    if (value.filled) fields.set(field, value.value);
    else if (required.has(field)) return name === "" ? value : cannot(`${name}.${field}`, value.what);
  }
  const inOrder = Object.keys(properties).filter((field) => fields.has(field));
  return done(Object.fromEntries(inOrder.map((field) => [field, fields.get(field)])));
}

function fillArray(schema: JsonSchema, name: string, material: Material, choices: Choice[]): Filled {
  const items = schemaAt(schema["items"]) ?? { type: "string" };
  const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
  const most = typeof schema["maxItems"] === "number" ? schema["maxItems"] : material.maxItems;
  const wanted = Math.max(least, Math.min(most, material.maxItems));
  const values = new Map<string, unknown>();
  for (const quote of material.quotes) {
    if (values.size >= wanted) break;
    const own: Material = {
      ...material,
      quotes: [quote],
      evidence: [{ text: `${quote.text} ${quote.title}`, weight: 1 }],
      facts: [],
      brief: { topic: quote.text, question: "" },
    };
    const value = fill(items, name, own, choices);
    if (value.filled) values.set(JSON.stringify(value.value), value.value);
  }
  if (values.size < least) return cannot(name, `needs ${least} items, and the memos give ${values.size}`);
  return done([...values.values()]);
}

function fillNumber(schema: JsonSchema, name: string, given: Fact | undefined, type: string): Filled {
  const minimum = typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
  const maximum = typeof schema["maximum"] === "number" ? schema["maximum"] : 1;
  if (/confidence|certainty|probability|likelihood/i.test(name)) {
    const low = maximum <= 1 ? OFFLINE_CONFIDENCE : minimum + OFFLINE_CONFIDENCE * (maximum - minimum);
    const value = Math.min(maximum, Math.max(minimum, type === "integer" ? Math.floor(low) : low));
    return done(value);
  }
  const value = Number(given?.text ?? "");
  if (given && Number.isFinite(value)) return done(value);
  return cannot(name, "is a number, and nothing loaded states it");
}

function fillString(
  schema: JsonSchema,
  name: string,
  given: Fact | undefined,
  material: Material,
  choices: readonly Choice[],
): Filled {
  const [quote] = material.quotes;
  const texts = [...material.facts.map((fact) => fact.text), ...material.quotes.map(({ text }) => text)];
  const found = (pattern: RegExp) => texts.map((text) => pattern.exec(text)?.[0]).find(Boolean);
  if (/^(?:date|due|dueDate|deadline)$/i.test(name)) {
    const date = given?.text ?? found(/\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b/);
    return date === undefined
      ? cannot(name, "is a date, and nothing loaded states one")
      : fitted(schema, name, [date]);
  }
  if (/^(?:url|uri|link)$/i.test(name)) {
    const address = given?.text ?? found(/https?:\/\/[^\s)>\]"']+/);
    return address === undefined
      ? cannot(name, "is an address, and nothing loaded states one")
      : fitted(schema, name, [address]);
  }
  if (given) return fitted(schema, name, [given.text]);
  if (/reason|why|note|explanation|rationale|because/i.test(name)) {
    return fitted(schema, name, [reasonFor(choices.at(-1), quote)]);
  }
  if (/^(?:source|memo|from|citation)$/i.test(name)) {
    return quote ? fitted(schema, name, [quote.title]) : cannot(name, "is a memo, and none was loaded");
  }
  if (/^(?:title|name|topic|subject|heading)$/i.test(name))
    return fitted(schema, name, [material.brief.topic]);
  if (/^(?:owner|assignee|author|person|who)$/i.test(name)) {
    return cannot(name, "is a person, and shared words cannot tell who");
  }
  return fitted(schema, name, [...material.quotes.map(({ text }) => text), material.brief.question]);
}

/** The first candidate that fits the string's limits; one that is too long is shortened before it is given up. */
function fitted(schema: JsonSchema, name: string, candidates: readonly string[]): Filled {
  const most = typeof schema["maxLength"] === "number" ? schema["maxLength"] : Infinity;
  const texts = candidates.map(foldWhitespace).filter((text) => text !== "");
  const short = texts.map((text) =>
    text.length <= most ? text : `${truncate(text, Math.max(0, most - 1))}…`,
  );
  const value = [...texts, ...short].find((text) => schemaFailures(schema, text).length === 0);
  return value === undefined ? cannot(name, "has limits that nothing loaded fits") : done(value);
}

function reasonFor(choice: Choice | undefined, quote: Quote | undefined): string {
  if (choice?.clear) {
    return `Offline writer, by shared words only: ${choice.words.join(", ")} point to "${String(choice.value)}".`;
  }
  if (choice) return `Offline writer: no shared word decides, so "${String(choice.value)}" stands for doubt.`;
  return quote
    ? `Offline writer, by shared words only: ${quote.text}`
    : "Offline writer: nothing was loaded.";
}
