import * as z from "zod";
import type { Span } from "../core/markdown.ts";
import { nearest } from "../core/text.ts";
import { didYouMean, listed } from "../workflows/diagnostics.ts";
import type { FileStep, NestedStep } from "../workflows/manifest.ts";
import { fieldsOf, type Fields } from "./fields.ts";
import { spanAt, type Value } from "./front-matter.ts";
import { isReference, textsOf } from "./reference.ts";
import type { FileReport } from "./report.ts";

/** What a workflow file may name. */
export type Names = { tools: readonly string[]; transforms: readonly string[]; models?: readonly string[] };

/** A reference and where it stands. */
export type Mention = { text: string; span: Span };

/** A step that was read; one that is `broken` has an id that others may name, and says no more. */
export type StepDraft = {
  id: string;
  /** Where its id stands. */
  span: Span;
  step: FileStep | "broken";
  mentions: Mention[];
  nested: StepDraft[];
};

type Reading = { names: Names; report: FileReport; place(span: Span): { line: number; column: number } };

const KINDS = ["tool", "transform", "map", "agent"] as const;
const NESTED = ["tool", "transform", "agent"] as const;
type Kind = (typeof KINDS)[number];

const STEP_ID = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Ids of the two steps that the file does not write: its input, and the memo that it lands. */
export const RESERVED_IDS = ["input", "memo"] as const;

const OWN_FIELDS = {
  tool: ["tool", "input"],
  transform: ["transform", "input"],
  map: ["over", "parallelism", "onError", "steps"],
  agent: ["prompt", "input", "model", "maxOutputTokens"],
} as const satisfies Record<Kind, readonly string[]>;

const MAX_PARALLELISM = 10;
export const PROMPT_MAX_LENGTH = 20_000;

/** Reads a list of steps; `within` is the map whose items they are done for. */
export function readSteps(list: readonly Value[], within: "file" | "map", reading: Reading): StepDraft[] {
  return list.flatMap((value) => readStep(value, within, reading) ?? []);
}

function readStep(value: Value, within: "file" | "map", reading: Reading): StepDraft | undefined {
  const { report } = reading;
  if (value.kind !== "map") {
    report.error("WF012", value.span, "A step must be names and their values");
    return undefined;
  }
  const kind = readKind(value, within, reading);
  const known = [
    "id",
    "kind",
    "description",
    ...(kind ? OWN_FIELDS[kind] : Object.values(OWN_FIELDS).flat()),
  ];
  const fields = fieldsOf(value, known, kind ? `a ${kind} step` : "a step", report);
  const id = readId(fields, report);
  if (id === undefined) return undefined;
  const mentions: Mention[] = [];
  const base = {
    id,
    instructions: fields.text("description", { max: 2000 }) ?? "",
    refs: [] as string[],
    loc: reading.place(value.span),
  };
  const nested = kind === "map" ? readNested(fields, reading) : [];
  const step = kind ? stepOf(kind, base, fields, mentions, nested, reading) : undefined;
  if (step) step.refs = [...new Set(mentions.map(({ text }) => text))];
  return { id, span: fields.at("id"), step: step ?? "broken", mentions, nested };
}

function readKind(
  value: Value & { kind: "map" },
  within: "file" | "map",
  { report }: Reading,
): Kind | undefined {
  const member = value.members.get("kind");
  const place = value.members.values().next().value?.key ?? value.span;
  if (!member) {
    report.error("WF011", place, `"kind" is missing in a step`, listed("Kinds", KINDS));
    return undefined;
  }
  const written = member.value.kind === "scalar" ? member.value.value : undefined;
  const kinds: readonly Kind[] = within === "map" ? NESTED : KINDS;
  const kind = KINDS.find((known) => known === written);
  if (kind && kinds.includes(kind)) return kind;
  if (kind) {
    report.error(
      "WF024",
      member.value.span,
      `A ${kind} cannot stand within a map`,
      listed("Kinds there", NESTED),
    );
    return undefined;
  }
  const near = typeof written === "string" ? nearest(written, kinds) : undefined;
  const what = typeof written === "string" ? `"${written}"` : "This";
  report.error(
    "WF020",
    member.value.span,
    `${what} is not a kind of step`,
    didYouMean(near) ?? listed("Kinds", kinds),
  );
  return undefined;
}

function readId(fields: Fields, report: FileReport): string | undefined {
  if (!fields.needs("id")) return undefined;
  const id = fields.text("id", {
    max: 64,
    pattern: STEP_ID,
    wanted: "a letter, then letters, digits, _ and -",
  });
  if (id === undefined || !RESERVED_IDS.some((reserved) => reserved === id)) return id;
  report.error("WF022", fields.at("id"), `"${id}" is the id of a step of our own`, "Choose another one.");
  return undefined;
}

function readNested(fields: Fields, reading: Reading): StepDraft[] {
  const list = fields.list("steps");
  if (list?.length === 0) reading.report.error("WF023", fields.at("steps"), "A map needs at least one step");
  return list ? readSteps(list, "map", reading) : [];
}

type Base = Pick<FileStep, "id" | "instructions" | "refs" | "loc">;

/** Undefined when something that it needs is missing or wrong: that is said already. */
function stepOf(
  kind: Kind,
  base: Base,
  fields: Fields,
  mentions: Mention[],
  nested: readonly StepDraft[],
  { names, report }: Reading,
): FileStep | undefined {
  switch (kind) {
    case "tool": {
      const tool = named("tool", names.tools, "WF030", fields, report);
      const input = readInput(fields, mentions);
      return tool === undefined ? undefined : { ...base, kind, tool, input };
    }
    case "transform": {
      const transform = named("transform", names.transforms, "WF031", fields, report);
      const input = readInput(fields, mentions);
      return transform === undefined ? undefined : { ...base, kind, transform, input };
    }
    case "agent": {
      const prompt = fields.needs("prompt") ? fields.text("prompt", { max: PROMPT_MAX_LENGTH }) : undefined;
      const input = readInput(fields, mentions);
      const model = fields.text("model", { max: 200 }) ?? null;
      if (model !== null && isReference(model)) mentions.push({ text: model, span: fields.at("model") });
      else if (model !== null && names.models && !names.models.includes(model)) {
        report.error(
          "WF032",
          fields.at("model"),
          `There is no model "${model}"`,
          listed("Models", names.models),
        );
      }
      const maxOutputTokens = fields.whole("maxOutputTokens", 1, 100_000) ?? null;
      return prompt === undefined
        ? undefined
        : { ...base, instructions: prompt.trim(), kind, input, model, maxOutputTokens };
    }
    case "map": {
      const over = readOver(fields, mentions, report);
      const parallelism = fields.whole("parallelism", 1, MAX_PARALLELISM) ?? 1;
      const onError = fields.oneOf("onError", ["throw", "collect"]) ?? "throw";
      const hasSteps = fields.needs("steps");
      const steps = nested.flatMap(({ step }) => (step === "broken" || step.kind === "map" ? [] : [step]));
      const isWhole = steps.length > 0 && steps.length === nested.length;
      if (over === undefined || !hasSteps || !isWhole) return undefined;
      return { ...base, kind, over, parallelism, onError, steps: steps satisfies NestedStep[] };
    }
  }
}

function named(
  field: "tool" | "transform",
  names: readonly string[],
  code: "WF030" | "WF031",
  fields: Fields,
  report: FileReport,
): string | undefined {
  if (!fields.needs(field)) return undefined;
  const name = fields.text(field, { max: 100 });
  if (name === undefined || names.includes(name)) return name;
  const hint = didYouMean(nearest(name, names)) ?? listed(field === "tool" ? "Tools" : "Transforms", names);
  report.error(code, fields.at(field), `No ${field} is named "${name}"`, hint);
  return undefined;
}

function readInput(fields: Fields, mentions: Mention[]): z.core.util.JSONType {
  const value = fields.value("input");
  if (!value) return {};
  const json = z.json().parse(fields.json("input"));
  mentions.push(...mentionsOf(json, value));
  return json;
}

/** The references of a value, each with its place. */
export function mentionsOf(json: unknown, value: Value): Mention[] {
  const texts = [...textsOf(json)].filter(({ text }) => isReference(text));
  return texts.map(({ text, path }) => ({ text, span: spanAt(value, path) }));
}

function readOver(fields: Fields, mentions: Mention[], report: FileReport): string | undefined {
  if (!fields.needs("over")) return undefined;
  const over = fields.text("over", { max: 500 });
  if (over === undefined) return undefined;
  if (!isReference(over)) {
    report.error(
      "WF040",
      fields.at("over"),
      `"${over}" is not a reference`,
      "Write $steps.<id>.<name> or $input.<name>.",
    );
    return undefined;
  }
  mentions.push({ text: over, span: fields.at("over") });
  return over;
}
