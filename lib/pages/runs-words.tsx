import { ERRORS } from "../core/errors.ts";
import { truncate } from "../core/text.ts";
import type { Html, Shown } from "./shown.ts";
import { Said } from "./format.tsx";

/** What a stored code means and what to do next, as the table of codes has it now. */
export function meaningOf(code: string): { title: string; hint: string } | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS] : undefined;
}

/** A run by what it stands in, as a link that a reader of the page alone can tell from others. */
export const RunLink = ({ runId, says = "run" }: { runId: string; says?: string }): Html => (
  <a href={`/steward/runs/${runId}`} title={runId}>
    {says}
  </a>
);

/** A memo by its title, or by its id where it is gone. */
export const MemoLink = ({ memoId, title }: { memoId: string; title: string | null }): Html => (
  <a href={`/steward/memos/${memoId}`}>{title === null ? <code>{memoId}</code> : <Short text={title} />}</a>
);

export const HOLD_KINDS = {
  output: "a draft",
  conflict: "a conflict",
  budget: "a question about the budget",
} as const;

/** What fits beside other things in a line of a list. */
const SHORT = 90;

/** Somebody's text within a list: no longer than a line or two. */
export const Short = ({ text }: { text: string }): Html => (
  <Said text={text.length > SHORT ? `${truncate(text, SHORT)}…` : text} />
);

/** Whether a page is the end of a list that was full until here: an empty one, behind others. */
export const isListEnd = (
  { items, nextCursor }: { items: readonly unknown[]; nextCursor: string | null },
  { query }: Pick<Shown, "query">,
): boolean => items.length === 0 && nextCursor === null && query["cursor"] !== undefined;

/** What stands where a list has ended with the page before. */
export const ListEnd = (): Html => (
  <div class="empty">
    <p class="lead">That was all of it.</p>
  </div>
);
