import { toHtml } from "hast-util-to-html";
import { raw } from "hono/html";
import type { Refusal } from "../core/markdown-cost.ts";
import { printable } from "../core/printable.ts";
import { count } from "./format.tsx";
import { parseForDisplay } from "./markdown-syntax.ts";
import { shownTree, type MemoHref } from "./markdown-tree.ts";
import type { Html } from "./shown.ts";

/** Characters that are laid out; what follows them stands below as it was written. */
const LAID_OUT = 60_000;

type Props = {
  text: string;
  /** Where a memo is seen that the text names; without it, by its title. */
  memoHref?: MemoHref;
};

/** A text of somebody else as it would be read: nothing of it runs, loads or leads anywhere unseen. */
export function Rendered({ text, memoHref = byTitle }: Props): Html {
  const end = endOfLayout(text);
  const start = text.slice(0, end);
  const rest = text.slice(end);
  const laidOut = layOut(start, memoHref);
  return (
    <>
      {"html" in laidOut ? (
        <div class="prose">{raw(laidOut.html)}</div>
      ) : (
        <>
          <p class="note warn">{laidOut.why}</p>
          <Written text={start} />
        </>
      )}
      {rest !== "" && (
        <>
          <p class="note warn">
            Only the first {count(start.length)} of {count(text.length)} characters are laid out. The rest
            stands here as it was written.
          </p>
          <details>
            <summary>The other {count(rest.length)} characters</summary>
            <Written text={rest} />
          </details>
        </>
      )}
    </>
  );
}

/** A text letter by letter, in the letters of a typewriter. */
export const Written = ({ text }: { text: string }): Html => (
  <pre class="written" dir="auto">
    <code>{printable(text)}</code>
  </pre>
);

const byTitle: MemoHref = (ref) => `/steward/memos?title=${encodeURIComponent(ref.toWellFormed())}`;

/** The last empty line before the limit, or else the last line, or else the limit. */
function endOfLayout(text: string): number {
  if (text.length <= LAID_OUT) return text.length;
  const paragraph = text.lastIndexOf("\n\n", LAID_OUT);
  if (paragraph > LAID_OUT / 2) return paragraph + 2;
  const line = text.lastIndexOf("\n", LAID_OUT);
  if (line > LAID_OUT / 2) return line + 1;
  const last = text.charCodeAt(LAID_OUT - 1);
  return last >= 0xd800 && last <= 0xdbff ? LAID_OUT - 1 : LAID_OUT;
}

function layOut(text: string, memoHref: MemoHref): { html: string } | { why: string } {
  const { source, root, refused } = parseForDisplay(text);
  if (refused) return { why: whyOf(refused, source) };
  try {
    return { html: toHtml(shownTree(root, memoHref)) };
  } catch (error) {
    // A stack that is too small for the nesting, as in the parser.
    if (!(error instanceof RangeError)) throw error;
    return { why: "This text is shown as it was written: it is nested too deep to be laid out." };
  }
}

function whyOf({ tooMany, at }: Refusal, source: string): string {
  const line = source.slice(0, at).split("\n").length;
  return `This text is shown as it was written: it has too many ${tooMany} to be laid out (by line ${line}).`;
}
