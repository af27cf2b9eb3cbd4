import { printable } from "../core/printable.ts";
import { truncate } from "../core/text.ts";
import type { Diagnostic } from "../workflows/diagnostics.ts";
import { count, Said } from "./format.tsx";
import type { Html } from "./shown.ts";
import { fixedLines, linesOf, piecesOf, type ListedLine } from "./workflow-lines.ts";

/** Most lines that are drawn, and most of one. */
const MAX_LINES = 3000;
const MAX_LINE = 2000;

/** A workflow's text by its lines; what there is to say of one stands below it. */
export function Listing({ text, diagnostics }: { text: string; diagnostics: readonly Diagnostic[] }): Html {
  const lines = linesOf(text, diagnostics);
  const shown = lines.slice(0, MAX_LINES);
  const rest = lines.slice(MAX_LINES);
  return (
    <>
      <div class="listing" role="group" aria-label="Text of the workflow">
        {[...shown, ...rest.filter(({ said }) => said.length > 0)].map((line) => (
          <Line line={line} text={text} />
        ))}
      </div>
      {rest.length > 0 && <p class="note warn">{count(rest.length)} more lines are not shown here.</p>}
    </>
  );
}

const Line = ({ line, text }: { line: ListedLine; text: string }): Html => (
  <>
    <div class={line.said.length > 0 ? "line said" : "line"} id={`L${line.number}`}>
      <span class="no">{line.number}</span>
      <bdi class="text">
        {piecesOf(line, MAX_LINE).map(({ text: piece, marked }) =>
          marked ? <mark class={marked}>{printable(piece)}</mark> : printable(piece),
        )}
        {line.text.length > MAX_LINE && ` … (${count(line.text.length - MAX_LINE)} more characters)`}
      </bdi>
    </div>
    {line.said.map((diagnostic) => (
      <Remark diagnostic={diagnostic} text={text} />
    ))}
  </>
);

function Remark({ diagnostic, text }: { diagnostic: Diagnostic; text: string }): Html {
  const { code, severity, message, hint, range, fix, related = [] } = diagnostic;
  const id = `fix-${code}-${range.start.offset}-${range.end.offset}`;
  return (
    <div class={`remark ${severity}`}>
      <p>
        <strong>{SEVERITIES[severity]}</strong> <code>{code}</code> <Said text={message} />
      </p>
      {hint && (
        <p class="quiet">
          <Said text={hint} />
        </p>
      )}
      {related.map((other) => (
        <p class="quiet">
          <a href={`#L${other.range.start.line}`}>Line {other.range.start.line}</a>:{" "}
          <Said text={other.message} />
        </p>
      ))}
      {fix && (
        <div class="fix">
          <p>
            <Said text={fix.title} />:
          </p>
          <pre>
            <code id={id}>{printable(truncate(fixedLines(text, fix.edits), MAX_LINE))}</code>
          </pre>
          <button type="button" data-copy={id}>
            Copy
          </button>
        </div>
      )}
    </div>
  );
}

const SEVERITIES = { error: "Error", warning: "Warning", info: "Note" } as const;
