import type { Code, ListItem, RootContent } from "mdast";
import { spanOf, type Markdown, type Span } from "../../core/markdown.ts";
import { isBlock, isKeyed, keyOf, readField, tokensIn, type Field } from "../field.ts";
import { isSchemaBlock } from "../schema-block.ts";

/** One item of the list in ## Steps, taken apart but not yet understood. */
export type StepItem = {
  span: Span;
  kind: { text: string; span: Span } | null;
  id: { text: string; span: Span } | null;
  /** The parts of the text that are instructions, in order. */
  instructions: Span[];
  options: Field[];
  schemas: Code[];
};

const MAX_DEPTH = 20;

/** Takes a list item apart into kind, name, instructions, options and schema. */
export function readStepItem(item: ListItem, { source }: Markdown): StepItem {
  const step: StepItem = {
    span: spanOf(item),
    kind: null,
    id: null,
    instructions: [],
    options: [],
    schemas: [],
  };
  const [block, ...rest] = item.children;
  if (!block || !isBlock(block)) return step;
  const key = keyOf(block);
  if (!key) return step;
  step.kind = { text: key.text, span: key.span };
  const colon = /[ \t]*:/y;
  colon.lastIndex = key.span.end;
  const value = { start: colon.test(source) ? colon.lastIndex : key.span.end, end: spanOf(block).end };
  const name = tokensIn(key.rest, source, value).find(
    (token) => token.kind !== "text" || token.text.trim() !== "",
  );
  if (name?.kind === "code") {
    step.id = { text: name.text, span: { start: name.start, end: name.end } };
    step.instructions.push({ start: name.end, end: value.end });
  }
  readChildren(rest, step, source, 0);
  return step;
}

/** Adds what follows a step's first paragraph: options and schemas by their form, all else as instructions. */
export function readChildren(
  children: readonly RootContent[],
  step: Pick<StepItem, "instructions" | "options" | "schemas">,
  source: string,
  depth: number,
): void {
  for (const child of children) {
    if (child.type === "code" && isSchemaBlock(child)) step.schemas.push(child);
    else if (child.type === "list") readOptions(child.children, step, source, depth);
    else step.instructions.push(spanOf(child));
  }
}

function readOptions(
  items: readonly ListItem[],
  step: Pick<StepItem, "instructions" | "options" | "schemas">,
  source: string,
  depth: number,
): void {
  let prose: Span | undefined;
  for (const item of items) {
    const option = readField(item, source);
    if (!option) {
      // Neighbouring bullets stay one piece, so that the text between them is kept as it is written.
      if (prose) prose.end = spanOf(item).end;
      else step.instructions.push((prose = spanOf(item)));
      continue;
    }
    prose = undefined;
    step.options.push(option);
    if (depth >= MAX_DEPTH) continue;
    for (const child of item.children.slice(1)) {
      if (child.type === "code" && isSchemaBlock(child)) step.schemas.push(child);
      if (child.type === "list") {
        const keyed = child.children.filter((nested) => isKeyed(nested));
        readOptions(keyed, step, source, depth + 1);
      }
    }
  }
}

/** The instructions as the author wrote them, without the indent of the list they stand in. */
export function instructionText(step: StepItem, { source }: Markdown): string {
  let text = "";
  let end = 0;
  for (const span of step.instructions) {
    const part = dedented(source, span).trim();
    if (part === "") continue;
    const between = source.slice(end, span.start);
    if (text !== "") text += /^[ \t]*\n[ \t]*$/.test(between) ? "\n" : "\n\n";
    text += part;
    end = span.end;
  }
  return text.replace(/^:\s+/, "");
}

function dedented(source: string, { start, end }: Span): string {
  const lineStart = source.lastIndexOf("\n", start - 1) + 1;
  const [first = "", ...rest] = source.slice(start, end).split("\n");
  const indent = start - lineStart;
  return [first, ...rest.map((line) => withoutIndent(line, indent))].map((line) => line.trimEnd()).join("\n");
}

function withoutIndent(line: string, width: number): string {
  let at = 0;
  while (at < width && (line[at] === " " || line[at] === "\t")) at += 1;
  return line.slice(at);
}
