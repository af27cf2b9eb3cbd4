import { SECOND_MS, MINUTE_MS } from "../core/duration.ts";
import { printableInLine } from "../core/printable.ts";
import { truncate } from "../core/text.ts";
import { span } from "./format.tsx";
import type { Html } from "./shown.ts";
import type { Timeline, TimelineRow } from "./timeline-rows.ts";

const ROW_HEIGHT = 46;
const BAR_HEIGHT = 8;
/** Longer names would run into the times on a narrow screen. */
const NAME_MAX_LENGTH = 24;

/** A duration that was measured: `80 ms`, `3.1 s`, `2 min`. */
export function took(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  return ms < MINUTE_MS ? `${(ms / SECOND_MS).toFixed(1)} s` : span(ms);
}

/**
 * The steps as bars along the time that was worked. Places are shares of the width and sizes are pixels, so that it
 * is as wide as the screen and its words stay as large as all others.
 */
export function TimelineChart({ timeline }: { timeline: Timeline }): Html {
  const { rows, workedMs, waitedMs, isWaiting } = timeline;
  const total = Math.max(1, workedMs);
  const height = rows.length * ROW_HEIGHT + 6;
  return (
    <figure class="chart">
      <svg width="100%" height={height} role="img" aria-label={`Steps over ${took(workedMs)} of work`}>
        {rows.map((row, index) => (
          <Row row={row} y={index * ROW_HEIGHT} total={total} />
        ))}
      </svg>
      <figcaption class="quiet small">
        {took(workedMs)} of work
        {waitedMs > 0 &&
          `; ${isWaiting ? "it waits" : "it waited"} ${span(waitedMs)} for a decision, which is not drawn`}
      </figcaption>
    </figure>
  );
}

function Row({ row, y, total }: { row: TimelineRow; y: number; total: number }): Html {
  const { step, offsetMs, ms } = row;
  const name = printableInLine(step.id);
  const share = (part: number): string => `${((part / total) * 100).toFixed(2)}%`;
  return (
    <g>
      <title>{`${name}: ${wordOf(row)}`}</title>
      <text class="svg-name" x="0" y={y + 18} font-size="14">
        {name.length > NAME_MAX_LENGTH ? `${truncate(name, NAME_MAX_LENGTH)}…` : name}
      </text>
      <text class="svg-quiet" x="100%" y={y + 18} font-size="13" text-anchor="end">
        {wordOf(row)}
      </text>
      <rect class="svg-track" x="0" y={y + 26} width="100%" height={BAR_HEIGHT} rx="4" />
      {offsetMs !== null && ms !== null && (
        <rect
          class={`svg-bar svg-${step.kind} svg-is-${step.status}`}
          // The last thousandths would be seen by nobody.
          x={share(Math.min(offsetMs, total * 0.995))}
          y={y + 26}
          width={share(Math.max(ms, total * 0.005))}
          height={BAR_HEIGHT}
          rx="4"
        />
      )}
    </g>
  );
}

/** How a step stands, or how long it took. */
function wordOf({ step, ms }: TimelineRow): string {
  if (step.keptFrom !== undefined) return "kept";
  if (step.status === "done" && ms !== null) return took(ms);
  return step.status;
}
