import type { Code, RootContent } from "mdast";
import { spanOf, type Span } from "../../core/markdown.ts";
import { nearest } from "../../core/text.ts";
import { didYouMean } from "../diagnostics.ts";
import { readField, upTo, type Token } from "../field.ts";
import type { Step } from "../manifest.ts";
import type { Section } from "../outline.ts";
import { isSchemaBlock, readSchema } from "../schema-block.ts";
import { strayKeys } from "../stray.ts";
import { instructionText, readStepItem, type StepItem } from "./step-item.ts";
import { isOption, readStepOptions, type Kind, type Options } from "./step-options.ts";
import { mentionsIn, placeOf, type Mention, type SectionContext } from "./section.ts";

export const KINDS = ["trigger", "context", "process", "output"] as const satisfies readonly Kind[];
const STEP_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const STEP_HINT = 'Write "1. **process** `draft` What to do".';

/** One trigger, three context steps, eight process steps and one output. */
const MAX_STEPS = 13;
/** Of more than these it is said that they are too many, and nothing else. */
const MAX_READ = 30;

/** A step with the places of what it names. */
export type StepDraft = {
  step: Step;
  span: Span;
  idSpan: Span;
  options: Options;
  mentions: Mention[];
};

/** `whole` is false when a step could not be read, so that counting steps would report it a second time. */
export type StepsDraft = { steps: StepDraft[]; whole: boolean };

/** Reads ## Steps. A step that cannot be read is said and left out. */
export function readSteps(section: Section, context: SectionContext): StepsDraft {
  const { report } = context;
  const strays = strayKeys(section.nodes, context.markdown.source, KINDS);
  const read = readItems(section.nodes, context);
  const all = read.map((item, index) => before(item, read[index + 1], strays));
  const items = all.slice(0, MAX_READ);
  const surplus = all[MAX_READ];
  if (surplus) {
    report.error("MW309", surplus.id?.span ?? surplus.span, `There are at most ${MAX_STEPS} steps`, {
      hint: "Join steps.",
    });
  }
  const steps: StepDraft[] = [];
  let whole = !surplus && items.every((item) => item.kind !== null);
  for (const item of items) {
    const draft = readStep(item, context);
    if (!draft) {
      whole = false;
      continue;
    }
    const earlier = steps.find(({ step }) => step.id === draft.step.id);
    if (earlier) {
      report.error("MW303", draft.idSpan, `Two steps are named "${draft.step.id}"`, {
        hint: "Give each step its own name.",
        related: { message: "The first one", span: earlier.idSpan },
      });
    }
    steps.push(draft);
  }
  for (const span of strays) {
    whole = false;
    report.error("MW301", span, "A step must be an item of the list in Steps", { hint: STEP_HINT });
  }
  return { steps, whole };
}

/** A step up to the first line inside it that is another step, lost for want of its bullet: what follows is that one's. */
function before(item: StepItem, next: StepItem | undefined, strays: readonly Span[]): StepItem {
  const end = next?.span.start ?? Number.POSITIVE_INFINITY;
  const cut = strays.find(
    ({ start }) => (item.id?.span.end ?? item.span.start) <= start && start < end,
  )?.start;
  if (cut === undefined) return item;
  return {
    ...item,
    instructions: item.instructions
      .filter(({ start }) => start < cut)
      .map((span) => ({ ...span, end: Math.min(span.end, cut) })),
    options: item.options.filter(({ span }) => span.start < cut).map((option) => upTo(option, strays)),
    schemas: item.schemas.filter((schema) => spanOf(schema).start < cut),
  };
}

/** The list items at the top; an option that stands there, for want of its indent, belongs to the step above it. */
function readItems(nodes: readonly RootContent[], { markdown }: SectionContext): StepItem[] {
  const items: StepItem[] = [];
  for (const node of nodes) {
    const last = items.at(-1);
    if (node.type === "code" && isSchemaBlock(node)) last?.schemas.push(node);
    // Text without the list's indent still follows its step; dropping it would lose instructions unseen.
    else if (node.type === "code" || node.type === "paragraph") last?.instructions.push(spanOf(node));
    if (node.type !== "list") continue;
    for (const listItem of node.children) {
      if (listItem.children.length === 0) continue;
      const step = items.at(-1);
      const option = step && readField(listItem, markdown.source);
      if (option && isOption(option.key)) step.options.push(option);
      else items.push(readStepItem(listItem, markdown));
    }
  }
  return items;
}

function readStep(item: StepItem, context: SectionContext): StepDraft | undefined {
  const { report, markdown } = context;
  if (!item.kind) {
    report.error("MW301", item.span, "A step must start with its kind and its name", { hint: STEP_HINT });
    return undefined;
  }
  const written = item.kind.text;
  const kind = KINDS.find((known) => known === written.toLowerCase());
  const near = kind ?? (nearest(written, KINDS) as Kind | undefined);
  if (!kind) {
    report.error("MW302", item.kind.span, `Unknown step kind "${written}"`, {
      hint: didYouMean(near) ?? "Kinds: trigger, context, process, output.",
      fix: near && { title: `Change to "${near}"`, span: item.kind.span, text: `**${near}**` },
    });
  }
  if (!near) return undefined;
  if (!item.id || !STEP_ID.test(item.id.text)) {
    const message = item.id
      ? `"${item.id.text}" is not a name of a step`
      : "A step must start with its kind and its name";
    report.error("MW301", item.id?.span ?? item.kind.span, message, { hint: STEP_HINT });
    return undefined;
  }
  const options = readStepOptions(near, item.options, context);
  const instructions = instructionText(item, markdown);
  if (near === "process" && instructions === "") {
    report.warn("MW314", item.id.span, "Step has no instructions", { hint: "Say what the step is to do." });
  }
  const mentions = [...item.instructions.flatMap((span) => mentionsIn(markdown, span)), ...options.mentions];
  const base: StepBase = {
    id: item.id.text,
    instructions,
    refs: [...new Set(mentions.map((mention) => mention.inner.trim()))],
    loc: placeOf(markdown, item.span),
  };
  const schema = readStepSchema(near, item.schemas, options, context);
  return {
    step: stepOf(near, base, options, schema),
    span: item.span,
    idSpan: item.id.span,
    options,
    mentions,
  };
}

type StepBase = Pick<Step, "id" | "instructions" | "refs" | "loc">;
type Schema = Extract<Step, { kind: "process" }>["schema"];

const names = (tokens: readonly Token[] = []): string[] => tokens.map((token) => token.text);

function stepOf(kind: Kind, base: StepBase, options: Options, schema: Schema): Step {
  switch (kind) {
    case "trigger":
      return { ...base, kind };
    case "context":
      return { ...base, kind, include: names(options.include) };
    case "process":
      return {
        ...base,
        kind,
        returns: options.returns ?? (schema ? "json" : "text"),
        schema,
        model: options.model?.text ?? null,
        maxOutputTokens: options.maxOutputTokens ?? null,
        temperature: options.temperature ?? null,
        tools: names(options.tools),
        maxTurns: options.maxTurns ?? 1,
        uses: names(options.uses),
        forEach: options.forEach ?? null,
      };
    case "output":
      return {
        ...base,
        kind,
        title: options.title ?? null,
        write: options.write ?? null,
        addTags: options.addTags ?? [],
        action: options.action?.text ?? null,
        from: options.from?.text ?? null,
      };
  }
}

function readStepSchema(
  kind: Kind,
  blocks: readonly Code[],
  options: Options,
  { report, markdown }: SectionContext,
): Schema {
  const [block, extra] = blocks;
  if (!block) return null;
  const span = spanOf(block);
  if (extra) report.error("MW007", spanOf(extra), "The schema is set twice", { hint: "Keep one." });
  if (kind !== "process" || (options.returns !== undefined && options.returns !== "json")) {
    report.error("MW313", span, "A schema belongs to process steps that return `json`", {
      hint: "Add - **Returns** `json`.",
    });
    return null;
  }
  const read = readSchema(block.value);
  if (read.ok) return read.schema;
  const at = read.word === null ? -1 : markdown.source.indexOf(`"${read.word}"`, span.start);
  const place = at === -1 || at >= span.end ? span : { start: at, end: at + (read.word?.length ?? 0) + 2 };
  report.error(read.code, place, read.message, {
    hint: "Supported: object, array, enum, and limits of numbers and texts.",
  });
  return null;
}
