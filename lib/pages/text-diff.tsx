import { printable } from "../core/printable.ts";
import { truncate } from "../core/text.ts";
import { count } from "./format.tsx";
import type { Html } from "./shown.ts";
import { textChanges, type Part, type Row, type TextChanges } from "./text-diff-rows.ts";

/** Most of a comparison that is drawn: beyond it is said how much there is. */
const MAX_ROWS = 800;
const MAX_CHARACTERS = 80_000;
/** Most of the unchanged lines that can be unfolded. */
const MAX_FOLDED_ROWS = 600;
const MAX_FOLDED_CHARACTERS = 40_000;
const MAX_LINE = 10_000;

/** What becomes of a text: changed lines with the words inside them, unchanged ones folded. */
export function TextDiff({ before, after }: { before: string; after: string }): Html {
  if (before === after) return <p class="quiet">The two texts are the same, byte for byte.</p>;
  const changes = textChanges(before, after);
  return (
    <div class="diff">
      <p class="quiet small">
        <Sums changes={changes} />
      </p>
      {changes.parts ? <Lines parts={changes.parts} /> : <Apart changes={changes} />}
    </div>
  );
}

function Sums({ changes: { added, removed, parts, openEnd } }: { changes: TextChanges }): Html {
  const lines = (of: number): string => (of === 1 ? "line" : "lines");
  return (
    <>
      {parts && (
        <>
          <span class="plus">+{count(added)}</span> {lines(added)} added,{" "}
          <span class="minus">−{count(removed)}</span> {removed === added ? "" : `${lines(removed)} `}
          removed.{" "}
        </>
      )}
      {openEnd === "before" && "The text before had no line end at its very end. "}
      {openEnd === "after" && "The new text has no line end at its very end. "}
    </>
  );
}

/** Too different: said in words, with what to do. */
const Apart = ({ changes: { added, removed } }: { changes: TextChanges }): Html => (
  <div class="note warn">
    <p>
      These two texts are too different to compare: nearly everything is written anew. {count(removed)} lines
      would be replaced by {count(added)} others, so read the new text as a whole, under Rendered or Raw.
    </p>
  </div>
);

function Lines({ parts }: { parts: readonly Part[] }): Html {
  const room = { rows: MAX_ROWS, characters: MAX_CHARACTERS };
  const folds = { rows: MAX_FOLDED_ROWS, characters: MAX_FOLDED_CHARACTERS };
  let unshown = 0;
  const drawn = parts.map(({ folded, rows }) => {
    if (folded) return <Folded rows={rows} fits={take(folds, rows) === rows.length} />;
    const fitting = take(room, rows);
    unshown += rows.slice(fitting).filter(({ kind }) => kind !== "same").length;
    return rows.slice(0, fitting).map((row) => <Line row={row} />);
  });
  return (
    <>
      <div class="lines">{drawn}</div>
      {unshown > 0 && (
        <p class="note warn">
          {count(unshown)} more changed lines are not shown here. The whole text is under Raw.
        </p>
      )}
    </>
  );
}

/** How many of these rows still fit, which are then taken of the room. */
function take(room: { rows: number; characters: number }, rows: readonly Row[]): number {
  for (const [fitting, { pieces }] of rows.entries()) {
    if (room.rows <= 0 || room.characters <= 0) return fitting;
    room.rows--;
    for (const { text } of pieces) room.characters -= Math.min(text.length, MAX_LINE);
  }
  return rows.length;
}

function Folded({ rows, fits }: { rows: readonly Row[]; fits: boolean }): Html {
  const says = `… ${count(rows.length)} unchanged lines`;
  if (!fits) return <p class="fold">{says}</p>;
  return (
    <details class="fold">
      <summary>{says}</summary>
      {rows.map((row) => (
        <Line row={row} />
      ))}
    </details>
  );
}

const SIGNS = { same: " ", gone: "−", new: "+" } as const;

const Line = ({ row: { kind, before, after, pieces } }: { row: Row }): Html => {
  const isWhole = pieces.length === 1;
  const text = pieces.map((piece) => {
    const said = shownText(piece.text);
    if (!piece.changed || kind === "same") return said;
    return kind === "gone" ? <del>{said}</del> : <ins>{said}</ins>;
  });
  return (
    <div class={kind === "same" ? "line" : `line ${kind}${isWhole ? " whole" : ""}`}>
      <span class="no">{after ?? before}</span>
      <span class="sign">{SIGNS[kind]}</span>
      <bdi class="text">{text}</bdi>
    </div>
  );
};

/** Nothing in it stays unseen; of a line without an end the beginning. */
const shownText = (text: string): string =>
  text.length <= MAX_LINE
    ? printable(text)
    : `${printable(truncate(text, MAX_LINE))} … (${count(text.length - MAX_LINE)} more characters)`;
