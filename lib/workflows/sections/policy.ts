import { DAY_MS, MINUTE_MS, parseDuration } from "../../core/duration.ts";
import type { Field, Token } from "../field.ts";
import type { Policy } from "../manifest.ts";
import type { Section } from "../outline.ts";
import { codesOf, memoRefsOf, proseOf, wholeNumber, wordOf, wordsOf, type Word } from "../value.ts";
import { parseReference } from "../template.ts";
import { readApproval, reportLostClause } from "./approval.ts";
import { readBudget } from "./budget.ts";
import { mentionsIn, once, readFields, type Mention, type SectionContext } from "./section.ts";
import { readWhole, type Takes } from "./unread.ts";

const KEYS = [
  "Approval",
  "Destination",
  "Target",
  "Tags",
  "Visibility",
  "Model",
  "Budget",
  "Retries",
  "Timeout",
  "Concurrency",
  "Dedupe key",
  "Hold expires",
  "On changes requested",
  "Approve from",
  "Reviewers",
  "Guards",
  "On failure",
];

const DESTINATIONS = ["memo", "reply", "worktree"] as const;
/** Below Lambda's 15 minutes and above a slow model. */
const MAX_TIMEOUT_MS = 12 * MINUTE_MS;
const MAX_HOLD_MS = 365 * DAY_MS;

/** What a policy is where it says nothing; the destination has no default. */
export const defaultPolicy = (): Policy => ({
  approval: { mode: "hold", unless: null },
  destination: "memo",
  target: { kind: "new" },
  tags: [],
  visibility: "unlisted",
  model: "default",
  budget: { run: { tokens: null, usd: null }, day: { tokens: null, usd: null } },
  retries: 2,
  timeoutMs: 2 * MINUTE_MS,
  concurrency: 1,
  dedupeKey: null,
  hold: { expiresMs: 14 * DAY_MS, then: "cancel" },
  onChangesRequested: { max: 1 },
  approveFrom: ["page"],
  reviewers: ["owner"],
  guards: [{ name: "no-secrets", value: null }],
  onFailure: "notify",
});

/** A policy with the places of what it names. */
export type PolicyDraft = {
  policy: Policy;
  spans: Partial<Record<"approval" | "destination" | "target" | "model" | "budget", Word | Token>>;
  /** False when there is an Approval that cannot be read: it may have meant another than the one it has now. */
  approvalIsRead: boolean;
  /** Mentions that see the outputs of all steps, and those of the dedupe key, which sees none. */
  mentions: Mention[];
  keyMentions: Mention[];
};

/** Reads ## Policy. What cannot be read is said and left at its default. */
export function readPolicy(section: Section, context: SectionContext): PolicyDraft {
  const { report } = context;
  const unknown = { code: "MW401", message: (key: string) => `Unknown field "${key}" in Policy` } as const;
  const read = readFields(section, KEYS, unknown, context);
  const before = report.errors();
  const fields = once(read.fields, report);
  const missing = (name: string): boolean => !fields.has(name) && !read.lost.has(name);
  const draft: PolicyDraft = {
    policy: defaultPolicy(),
    spans: {},
    approvalIsRead: !read.lost.has("approval"),
    mentions: [],
    keyMentions: [],
  };
  for (const [name, field] of fields) {
    const takes = { values: 1, ...TAKES[name] };
    readWhole(field, takes, context, () => READERS[name]?.(field, draft, context));
  }
  if (report.errors() === before)
    reportLostClause(draft.policy.approval, fields.get("approval"), section, context);
  if (missing("destination")) {
    report.error("MW411", section.heading, "Policy has no Destination", {
      hint: "Add - **Destination** `memo`, `reply` or `worktree`.",
    });
  }
  if (missing("budget")) {
    report.warn("MW415", section.heading, "No budget", { hint: 'Add "- **Budget** `40k tokens` per run".' });
  }
  return draft;
}

/** What the readers take that take more than one value. */
const TAKES: Record<string, Partial<Takes>> = {
  approval: { values: 3, words: true },
  target: { memos: 1 },
  tags: { values: Number.POSITIVE_INFINITY },
  budget: { values: Number.POSITIVE_INFINITY },
  "hold expires": { values: 2 },
  "on changes requested": { values: 2 },
  "approve from": { values: Number.POSITIVE_INFINITY },
  reviewers: { values: Number.POSITIVE_INFINITY },
  guards: { values: Number.POSITIVE_INFINITY },
};

type Reader = (field: Field, draft: PolicyDraft, context: SectionContext) => void;

const READERS: Record<string, Reader> = {
  approval: (field, draft, { report }) => {
    const before = report.errors();
    draft.policy.approval = readApproval(field, draft.mentions, report);
    draft.spans.approval = wordOf(field);
    draft.approvalIsRead = report.errors() === before;
  },
  destination: (field, { policy, spans }, { report }) => {
    const word = wordOf(field);
    const destination = DESTINATIONS.find((known) => known === word.text);
    if (destination) {
      policy.destination = destination;
      spans.destination = word;
      return;
    }
    report.error("MW411", word, `"${word.text}" is not a destination`, {
      hint: "Use `memo`, `reply` or `worktree`.",
    });
  },
  target: readTarget,
  tags: (field, { policy, mentions }, context) => {
    const tags = codesOf(field.tokens);
    if (tags.length === 0) return wrong(field, "tags in backticks", context);
    for (const tag of tags) {
      if (!/^[^\s,`]{1,100}$/.test(tag.text.replace(/\{\{[^{}]*\}\}/g, "x"))) {
        wrong(field, "tags without spaces", context);
        continue;
      }
      policy.tags.push(tag.text);
      mentions.push(...mentionsIn(context.markdown, tag));
    }
  },
  visibility: (field, { policy }, context) => {
    policy.visibility =
      choice(field, ["unlisted", "private", "listed"] as const, context) ?? policy.visibility;
  },
  model: (field, { policy, spans }, context) => {
    const word = wordOf(field);
    if (word.text === "" || /\s/.test(word.text))
      return wrong(field, "an alias or the id of a model", context);
    policy.model = word.text;
    spans.model = word;
  },
  budget: (field, { policy, spans }, { report }) => {
    policy.budget = readBudget(field, report);
    spans.budget = wordOf(field);
  },
  retries: (field, { policy }, context) => {
    policy.retries = numberIn(field, 0, 5, context) ?? policy.retries;
  },
  timeout: (field, { policy }, context) => {
    policy.timeoutMs =
      durationTo(field, MAX_TIMEOUT_MS, "a duration in backticks up to `12m`", context) ?? policy.timeoutMs;
  },
  concurrency: (field, { policy }, context) => {
    policy.concurrency = numberIn(field, 1, 10, context) ?? policy.concurrency;
  },
  "dedupe key": (field, { policy, keyMentions }, context) => {
    const key = codesOf(field.tokens)[0];
    if (!key?.text) return wrong(field, "a text in backticks, as `{{run.isoWeek}}`", context);
    policy.dedupeKey = key.text;
    keyMentions.push(...mentionsIn(context.markdown, key));
  },
  "hold expires": (field, { policy }, context) => {
    const expected = "a duration in backticks up to `365d`, then `cancel`";
    const [, then, extra] = codesOf(field.tokens);
    if (extra || (then ? then.text !== "cancel" : saysThen(field))) return wrong(field, expected, context);
    policy.hold.expiresMs = durationTo(field, MAX_HOLD_MS, expected, context) ?? policy.hold.expiresMs;
  },
  "on changes requested": (field, { policy }, context) => {
    const [revise, upTo] = codesOf(field.tokens);
    const max = upTo ? wholeNumber(upTo.text) : 1;
    const word = revise ?? wordOf(field);
    if (word.text !== "revise" || !max || max > 3)
      return wrong(field, "`revise` up to `1`, `2` or `3`", context);
    policy.onChangesRequested.max = max;
  },
  "approve from": (field, { policy }, context) => {
    const from = choices(field, ["page", "slack"] as const, context);
    if (from.length > 0) policy.approveFrom = from;
  },
  reviewers: (field, { policy }, context) => {
    const words = wordsOf(field);
    const known = words.filter((word) =>
      word.bare ? /^(?:owner|other)$/.test(word.text) : /^[A-Za-z0-9][\w.:@-]{0,127}$/.test(word.text),
    );
    if (words.length === 0 || known.length < words.length)
      return wrong(field, "`owner`, `other` or ids of people", context);
    policy.reviewers = known.map((word) => word.text);
  },
  guards: (field, { policy }, context) => {
    const guards = wordsOf(field).map((word) => guardOf(word.text));
    const known = guards.filter((guard) => guard !== undefined);
    if (known.length === 0 || known.length < guards.length) {
      return wrong(field, "`no-secrets`, `max-change 60%`, `keep-headings` or `links-resolve`", context);
    }
    policy.guards = known;
  },
  "on failure": (field, { policy }, context) => {
    policy.onFailure = choice(field, ["stop", "notify"] as const, context) ?? policy.onFailure;
  },
};

function readTarget(field: Field, { policy, spans }: PolicyDraft, context: SectionContext): void {
  const [ref, extra] = memoRefsOf(field.tokens);
  const word = wordOf(field);
  const reference = parseReference(word.text);
  if (ref && !extra) {
    policy.target = { kind: "memo", ref: ref.text, id: null };
    spans.target = ref;
  } else if (!ref && word.text === "new") {
    policy.target = { kind: "new" };
    spans.target = word;
  } else if (!ref && !word.bare && reference?.root === "payload") {
    policy.target = { kind: "payload", path: word.text.replace(/^payload\./, "") };
    spans.target = word;
  } else {
    wrong(field, "`new`, `payload.x` or [[Memo]]", context);
  }
}

const saysThen = (field: Field): boolean =>
  field.tokens.some((token) => token.kind === "text" && /\bthen\b/i.test(token.text));

function guardOf(text: string): Policy["guards"][number] | undefined {
  if (/^(?:no-secrets|keep-headings|links-resolve)$/.test(text)) return { name: text, value: null };
  const change = /^max-change (\d{1,3}%)$/.exec(text);
  return change && Number.parseInt(change[1] ?? "", 10) <= 100
    ? { name: "max-change", value: change[1] ?? null }
    : undefined;
}

function choice<T extends string>(
  field: Field,
  allowed: readonly T[],
  context: SectionContext,
): T | undefined {
  const { text } = wordOf(field);
  const known = allowed.find((candidate) => candidate === text);
  if (!known) wrong(field, anyOf(allowed), context);
  return known;
}

function choices<T extends string>(field: Field, allowed: readonly T[], context: SectionContext): T[] {
  const words = wordsOf(field);
  const known = allowed.filter((candidate) => words.some((word) => word.text === candidate));
  const isWhole =
    words.length > 0 && words.every((word) => allowed.some((candidate) => candidate === word.text));
  if (isWhole) return known;
  wrong(field, anyOf(allowed), context);
  return [];
}

function numberIn(field: Field, min: number, max: number, context: SectionContext): number | undefined {
  const number = wholeNumber(wordOf(field).text);
  if (number !== undefined && number >= min && number <= max) return number;
  wrong(field, `${min} to ${max}`, context);
  return undefined;
}

function durationTo(
  field: Field,
  maxMs: number,
  expected: string,
  context: SectionContext,
): number | undefined {
  const word = wordOf(field);
  const ms = word.bare ? undefined : parseDuration(word.text);
  if (ms !== undefined && ms > 0 && ms <= maxMs) return ms;
  wrong(field, expected, context);
  return undefined;
}

function wrong(field: Field, expected: string, { report }: SectionContext): void {
  const written = proseOf(field.tokens);
  report.error("MW413", wordOf(field), `${field.key} must be ${expected}`, {
    hint: written === "" ? "It has no value." : `Written here: ${written}`,
  });
}

/** `a`, `b` or `c`. */
function anyOf(allowed: readonly string[]): string {
  const quoted = allowed.map((candidate) => `\`${candidate}\``);
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1) ?? ""}`;
}
