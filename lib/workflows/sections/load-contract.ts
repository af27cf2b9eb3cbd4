import type { Span } from "../../core/markdown.ts";
import { readCondition } from "../condition-text.ts";
import type { Field, Token } from "../field.ts";
import type { Load } from "../manifest.ts";
import type { Section } from "../outline.ts";
import { codesOf, memoRefsOf, proseOf, splitAtDash } from "../value.ts";
import { readSearch } from "./search.ts";
import { placeOf, readFields, type Mention, type SectionContext } from "./section.ts";
import { readWhole, type Takes } from "./unread.ts";

const CLASSES = ["gate", "hook", "trigger", "search"];
const MAX_LOADS = 40;
const CONDITION_OPERATORS = ["is", "is not", "contains", "matches", "exists"] as const;

/** A line of the load contract before its memo and its step are looked up. */
export type LoadDraft = {
  load: Load;
  span: Span;
  /** The memo it names. */
  ref: Token | null;
  /** The step it names. */
  at: Token | null;
  mentions: Mention[];
};

/** Reads ## Load Contract. A line that cannot be read is said and left out. */
export function readLoadContract(section: Section, context: SectionContext): LoadDraft[] {
  const { fields } = readFields(
    section,
    CLASSES,
    { code: "MW201", message: (key) => `Unknown load class "${key}"` },
    context,
  );
  const surplus = fields[MAX_LOADS];
  if (surplus) {
    context.report.error("MW215", surplus.field.span, `A load contract has at most ${MAX_LOADS} lines`, {
      hint: "Join memos that are always loaded together.",
    });
  }
  const drafts: LoadDraft[] = [];
  for (const { name, field } of fields) {
    const draft = readWhole(argumentsOf(field), TAKES[name] ?? SEARCH_TAKES, context, () =>
      name === "search" ? readSearch(field, context) : readMemoLoad(name, field, context),
    );
    if (draft) drafts.push({ ...draft, load: { ...draft.load, id: `L${drafts.length + 1}` } });
  }
  return drafts;
}

/** What a line takes before its reason. */
const TAKES: Record<string, Takes> = {
  gate: { values: 0, memos: 1 },
  hook: { values: 1, memos: 1 },
  trigger: { values: 2, memos: 1 },
};
const SEARCH_TAKES: Takes = { values: Number.POSITIVE_INFINITY };

/** A line without its reason, which is words and may go on below it. */
function argumentsOf(field: Field): Field {
  const { before, after } = splitAtDash(field);
  const isMemo = (token: Token): boolean => token.kind === "code" && memoRefsOf([token]).length > 0;
  return {
    ...field,
    tokens: before.map((token) => (isMemo(token) ? { ...token, kind: "ref" } : token)),
    blocks: field.blocks.filter(({ start, end }) =>
      after.every((token) => token.end <= start || end <= token.start),
    ),
  };
}

function readMemoLoad(name: string, field: Field, context: SectionContext): LoadDraft | undefined {
  const { before, after } = splitAtDash(field);
  const [ref, extra] = memoRefsOf(before);
  if (!ref || extra) {
    const article = `A ${name} must name one memo`;
    context.report.error("MW202", extra ?? field.keySpan, article, { hint: "[[Title]] or [[id]]." });
    return undefined;
  }
  const line: MemoLine = {
    base: {
      id: "",
      why: proseOf(after) || null,
      memo: { ref: ref.text, id: null },
      loc: placeOf(context.markdown, field.span),
    },
    draft: { span: field.span, ref, at: null, mentions: [] },
    rest: before.filter((token) => token.start > ref.start),
    field,
  };
  if (name === "gate") return { ...line.draft, load: { ...line.base, class: "gate", guaranteed: true } };
  return name === "hook" ? readHook(line, context) : readConditional(line, context);
}

type MemoLine = {
  base: Pick<Extract<Load, { class: "gate" }>, "id" | "why" | "memo" | "loc">;
  draft: Omit<LoadDraft, "load">;
  /** What follows the memo, up to the dash. */
  rest: Token[];
  field: Field;
};

function readHook({ base, draft, rest, field }: MemoLine, { report }: SectionContext): LoadDraft | undefined {
  const at = codesOf(rest)[0];
  const intro = at && rest[rest.indexOf(at) - 1];
  if (!at || intro?.kind !== "text" || !/\bat\s*$/i.test(intro.text)) {
    report.error("MW203", at ?? field.keySpan, "A hook must say at which step", {
      hint: "Write at `step-id`.",
    });
    return undefined;
  }
  return { ...draft, at, load: { ...base, class: "hook", guaranteed: true, at: at.text } };
}

function readConditional(line: MemoLine, { report }: SectionContext): LoadDraft | undefined {
  const { base, draft, rest, field } = line;
  const start = rest.findIndex((token) => token.kind === "code");
  const when = start > 0 && /\bwhen\s*$/i.test(rest[start - 1]?.text ?? "");
  const read = when ? readCondition(rest.slice(start), CONDITION_OPERATORS) : undefined;
  if (read?.ok) {
    const load: Load = { ...base, class: "trigger", guaranteed: false, when: read.condition };
    return { ...draft, load, mentions: [{ inner: read.path.text, span: read.path }] };
  }
  const span = read?.at ?? field.keySpan;
  if (read?.fault === "slow") {
    report.error("MW209", span, "This pattern could be very slow", { hint: read.hint });
  } else if (read?.fault === "pattern") {
    report.error("MW205", span, `"${read.at?.text ?? ""}" is not a pattern`, { hint: "Write `/words?/i`." });
  } else {
    report.error("MW205", span, "A trigger must say when", { hint: "when `payload.x` is `y`." });
  }
  return undefined;
}
