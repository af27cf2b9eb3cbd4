import { nearest } from "../../core/text.ts";
import { didYouMean } from "../diagnostics.ts";
import type { Field, Token } from "../field.ts";
import type { FileStep, Step } from "../manifest.ts";
import { parseReference } from "../template.ts";
import { codesOf, tokenCount, wholeNumber, wordOf, wordsOf } from "../value.ts";
import { fieldName, mentionsIn, type Mention, type SectionContext } from "./section.ts";
import { readWhole } from "./unread.ts";

/** The kinds that a workflow memo has. */
export type Kind = Exclude<Step, FileStep>["kind"];

const OWNERS = {
  include: "context",
  returns: "process",
  model: "process",
  "max output": "process",
  uses: "process",
  tools: "process",
  "max turns": "process",
  "for each": "process",
  temperature: "process",
  title: "output",
  write: "output",
  "add tags": "output",
  action: "output",
  from: "output",
} as const satisfies Record<string, Kind>;
type OptionName = keyof typeof OWNERS;
const NAMES = Object.keys(OWNERS).map((name) => name.slice(0, 1).toUpperCase() + name.slice(1));

/** Whether a key is that of a step option. */
export const isOption = (key: string): boolean => isOptionName(fieldName(key));

const isOptionName = (name: string): name is OptionName => Object.hasOwn(OWNERS, name);

/** The options of a step as they were read; what a step does not say stays undefined. */
export type Options = {
  include?: Token[];
  returns?: "text" | "markdown" | "json";
  model?: Token;
  maxOutputTokens?: number;
  uses?: Token[];
  tools?: Token[];
  maxTurns?: number;
  forEach?: { path: string; max: number; parallel: number };
  temperature?: number;
  title?: string;
  write?: "create" | "replace" | "append";
  addTags?: string[];
  action?: Token;
  from?: Token;
  /** References in the options' texts. */
  mentions: Mention[];
};

const MAX_TURNS = 20;
const MAX_ITEMS = 100;
const DEFAULT_ITEMS = 20;
const MAX_PARALLEL = 10;
/** Names of tools that change things; the registered tools say it better, where the library is known. */
const WRITING_TOOL = /^(?:write|create|update|delete|remove|run|cancel|manage|send|post|set|touch|apply)_/;

type OptionContext = SectionContext;

/** The options that take more than one value. */
const MANY: ReadonlySet<OptionName> = new Set(["include", "uses", "tools", "for each", "add tags"]);

/** Reads a step's options; one that cannot be read is said and left out. */
export function readStepOptions(kind: Kind, fields: readonly Field[], context: OptionContext): Options {
  const options: Options = { mentions: [] };
  const seen = new Map<string, Field>();
  for (const field of fields) {
    const name = fieldName(field.key);
    if (!isOptionName(name)) {
      const near = nearest(field.key, NAMES);
      context.report.error("MW310", field.keySpan, `Unknown step option "${field.key}"`, {
        hint: didYouMean(near) ?? "A nested bullet that starts in bold is an option; instructions must not.",
        fix: near && { title: `Change to "${near}"`, span: field.keySpan, text: `**${near}**` },
      });
      continue;
    }
    const earlier = seen.get(name);
    if (earlier) {
      context.report.error("MW007", field.keySpan, `"${field.key}" is set twice`, {
        hint: "Keep one.",
        related: { message: "The first one", span: earlier.keySpan },
      });
      continue;
    }
    seen.set(name, field);
    if (OWNERS[name] === kind) {
      const takes = { values: MANY.has(name) ? Number.POSITIVE_INFINITY : 1, schema: true };
      readWhole(field, takes, context, () => READERS[name](field, options, context));
    } else {
      context.report.error("MW313", field.keySpan, `Option "${field.key}" belongs to ${OWNERS[name]} steps`, {
        hint: `Move it to the ${OWNERS[name]} step or remove it.`,
      });
    }
  }
  return options;
}

type Reader = (field: Field, options: Options, context: OptionContext) => void;

const READERS: Record<OptionName, Reader> = {
  include: (field, options, context) => {
    options.include = texts(field, options, context);
  },
  returns: (field, options, context) => {
    const returns = oneOf(field, ["text", "markdown", "json"] as const, context);
    if (returns) options.returns = returns;
  },
  model: (field, options, context) => {
    const word = wordOf(field);
    if (word.text === "" || /\s/.test(word.text)) wrong(field, "the alias or the id of a model", context);
    else options.model = { kind: "code", text: word.text, start: word.start, end: word.end };
  },
  "max output": (field, options, context) => {
    const count = tokenCount(wordOf(field).text);
    if (count) options.maxOutputTokens = count;
    else wrong(field, "`1500 tokens`", context);
  },
  uses: (field, options, context) => {
    options.uses = names(field, "the names of earlier steps", context);
  },
  tools: (field, options, context) => {
    options.tools = names(field, "the names of tools", context).filter((tool) => {
      const writes = WRITING_TOOL.test(tool.text);
      if (writes) {
        context.report.error("MW316", tool, `Tool "${tool.text}" changes things; process steps only read`, {
          hint: "Let the output step write.",
        });
      }
      return !writes;
    });
  },
  "max turns": (field, options, context) => {
    const count = wholeNumber(wordOf(field).text);
    if (count && count <= MAX_TURNS) options.maxTurns = count;
    else wrong(field, `1 to ${MAX_TURNS}`, context);
  },
  "for each": readForEach,
  temperature: (field, options, context) => {
    const { text } = wordOf(field);
    if (/^(?:[01](?:\.\d{1,3})?|2(?:\.0{1,3})?)$/.test(text)) options.temperature = Number(text);
    else wrong(field, "0 to 2", context);
  },
  title: (field, options, context) => {
    const [title] = texts(field, options, context);
    if (title) options.title = title.text;
  },
  write: (field, options, context) => {
    const write = oneOf(field, ["create", "replace", "append"] as const, context);
    if (write) options.write = write;
  },
  "add tags": (field, options, context) => {
    options.addTags = texts(field, options, context).map((tag) => tag.text);
  },
  action: (field, options, context) => {
    const [action] = names(field, "the name of an action", context);
    if (action) options.action = action;
  },
  from: (field, options, context) => {
    const [from] = names(field, "the name of a process step", context);
    if (from) options.from = from;
  },
};

function readForEach(field: Field, options: Options, context: OptionContext): void {
  const [path, ...rest] = codesOf(field.tokens);
  const reference = path && parseReference(path.text);
  if (!path || !reference || reference.root === "run") {
    wrong(field, "`steps.x.items` max `12` parallel `4`", context);
    return;
  }
  options.mentions.push({ inner: path.text, span: path });
  const forEach = { path: path.text, max: DEFAULT_ITEMS, parallel: 1 };
  for (const token of rest) {
    const intro = field.tokens[field.tokens.indexOf(token) - 1];
    const name =
      intro?.kind === "text" ? /\b(max|parallel)\s*$/i.exec(intro.text)?.[1]?.toLowerCase() : undefined;
    const count = wholeNumber(token.text);
    const limit = name === "parallel" ? MAX_PARALLEL : MAX_ITEMS;
    if (!name || !count || count > limit) {
      wrong(field, `max \`1\` to \`${MAX_ITEMS}\`, parallel \`1\` to \`${MAX_PARALLEL}\``, context, token);
      return;
    }
    if (name === "max") forEach.max = count;
    else forEach.parallel = count;
  }
  options.forEach = forEach;
}

/** Arguments that may hold references. */
function texts(field: Field, options: Options, context: OptionContext): Token[] {
  const codes = codesOf(field.tokens).filter((token) => token.text !== "");
  if (codes.length === 0) wrong(field, "a value in backticks", context);
  for (const token of codes) options.mentions.push(...mentionsIn(context.markdown, token));
  return codes;
}

/** Arguments that are names. */
function names(field: Field, what: string, context: OptionContext): Token[] {
  const codes = codesOf(field.tokens).filter((token) => token.text !== "");
  if (codes.length === 0) wrong(field, `${what}, in backticks`, context);
  return codes;
}

function oneOf<T extends string>(field: Field, allowed: readonly T[], context: OptionContext): T | undefined {
  const [first] = wordsOf(field);
  const word = allowed.find((known) => known === first?.text);
  if (!word) wrong(field, allowed.map((known) => `\`${known}\``).join(", "), context);
  return word;
}

function wrong(
  field: Field,
  expected: string,
  { report }: OptionContext,
  word: Pick<Token, "text" | "start" | "end"> = wordOf(field),
): void {
  report.error("MW318", word, `"${word.text}" is not a value of ${field.key}`, {
    hint: `Write ${expected}.`,
  });
}
