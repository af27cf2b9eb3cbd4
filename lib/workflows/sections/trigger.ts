import type { Markdown, Span } from "../../core/markdown.ts";
import { foldWhitespace } from "../../core/text.ts";
import type { Field } from "../field.ts";
import type { Manifest } from "../manifest.ts";
import type { Section } from "../outline.ts";
import { proseOf, wordOf } from "../value.ts";
import { readInputs } from "./inputs.ts";
import { readInvoke } from "./invoke.ts";
import { COMMAND, once, readFields, type SectionContext } from "./section.ts";
import { readWhole, type Takes } from "./unread.ts";

const KEYS = ["Command", "Status", "Invoke", "Summary", "Input"];
const STATUSES = ["live", "paused", "draft", "staged"] as const;

export type TriggerDraft = Omit<Manifest["trigger"], "command" | "inputSchema"> & {
  command: string | null;
  commandSpan: Span;
  /** False when an Input could not be read: a name may then be that Input's. */
  inputsComplete: boolean;
};

/** Reads ## Trigger. What cannot be read is said and left at its safest value. */
export function readTrigger(section: Section, context: SectionContext): TriggerDraft {
  const { report } = context;
  const { fields, lost } = readFields(
    section,
    KEYS,
    { code: "MW101", message: (key) => `Unknown field "${key}" in Trigger` },
    context,
  );
  const single = once(
    fields.filter(({ name }) => name !== "input"),
    report,
  );
  const whole = <T>(name: string, takes: Takes, read: (field: Field | undefined) => T): T => {
    const field = single.get(name);
    return field ? readWhole(field, takes, context, () => read(field)) : read(undefined);
  };
  const command = lost.has("command")
    ? { command: null, commandSpan: section.heading }
    : whole("command", { values: 1 }, (field) => readCommand(field, section, context));
  const { inputs, complete } = readInputs(
    fields.filter(({ name }) => name === "input").map(({ field }) => field),
    context,
  );
  const many = Number.POSITIVE_INFINITY;
  const invoke = whole("invoke", { values: many }, (field) => readInvoke(field, inputs, report));
  return {
    ...command,
    status: whole("status", { values: 1 }, (field) => readStatus(field, context)),
    summary: whole("summary", { values: many, memos: many, words: true }, (field) =>
      readSummary(field, section, context),
    ),
    invoke,
    inputs: inputs.map(({ input }) => input),
    inputsComplete: complete && fields.length > 0,
  };
}

function readCommand(field: Field | undefined, section: Section, { report }: SectionContext) {
  if (!field) {
    report.error("MW110", section.heading, "Trigger has no Command", {
      hint: "Write a slash name in backticks: - **Command** `/my-workflow`.",
    });
    return { command: null, commandSpan: section.heading };
  }
  const word = wordOf(field);
  if (!word.bare && COMMAND.test(word.text)) return { command: word.text, commandSpan: word };
  const kebab = word.text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const suggestion = kebab.length >= 2 && kebab.length <= 64 ? `/${kebab}` : "/my-workflow";
  report.error("MW110", word, `"${word.text}" is not a command name`, {
    hint: `Write a slash name in backticks: \`${suggestion}\`.`,
    fix: { title: `Write \`${suggestion}\``, span: word, text: `\`${suggestion}\`` },
  });
  return { command: null, commandSpan: word };
}

function readStatus(field: Field | undefined, { report }: SectionContext): TriggerDraft["status"] {
  if (!field) return "draft";
  const word = wordOf(field);
  const status = STATUSES.find((known) => known === word.text);
  if (status) return status;
  report.error("MW111", word, `"${word.text}" is not a status`, {
    hint: "Use `live`, `paused`, `draft` or `staged`.",
  });
  return "draft";
}

function readSummary(
  field: Field | undefined,
  section: Section,
  { report, markdown }: SectionContext,
): string {
  const summary = field
    ? foldWhitespace([field.value, ...field.blocks].map((block) => textOf(markdown, block)).join(" "))
    : "";
  const text = summary || (field ? proseOf(field.tokens) : "");
  const hint = "One line; agents see it when they pick a workflow.";
  if (!text) report.warn("MW112", field?.keySpan ?? section.heading, "Trigger has no Summary", { hint });
  else if (text.length < 10 || text.length > 160) {
    report.warn("MW112", field?.value ?? section.heading, "Summary should have 10 to 160 characters", {
      hint,
    });
  }
  return text;
}

const textOf = ({ source }: Markdown, { start, end }: Span): string =>
  source.slice(start, end).replace(/<!--[\s\S]*?-->/g, "");
