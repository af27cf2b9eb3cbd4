import type { Html } from "./shown.ts";

export type Series = { name: string; tone: "accent" | "good" | "warn" | "bad"; values: readonly number[] };

const HEIGHT = 96;
const FLOOR = 78;
const TOP = 16;
/** Part of a bar's share of the width that stays free beside it. */
const GAP = 0.22;

/**
 * Bars side by side along time, each series upon the one before; with the same numbers as a table. Places are shares
 * of the width and heights are pixels, so that words keep their size on every screen.
 */
export function BarChart(props: {
  title: string;
  /** What the chart says, in words. */
  says: string;
  series: readonly Series[];
  /** The name of each place along the time. */
  labels: readonly string[];
  begin: string;
  end: string;
  format: (value: number) => string;
}): Html {
  const { title, says, series, labels, begin, end, format } = props;
  const sums = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const max = Math.max(...sums, 0);
  return (
    <figure class="chart">
      <div class="head">
        <h3>{title}</h3>
        {series.length > 1 && <Keys series={series} />}
      </div>
      <p class="quiet small">{says}</p>
      <svg width="100%" height={HEIGHT} role="img" aria-label={`${title}: ${says}`}>
        <text class="svg-quiet" x="100%" y="10" font-size="11" text-anchor="end">
          {max > 0 ? format(max) : ""}
        </text>
        <line class="svg-line" x1="0" x2="100%" y1={TOP} y2={TOP} stroke-dasharray="2 4" />
        {labels.map((label, at) => (
          <Bars
            series={series}
            at={at}
            of={labels.length}
            max={max}
            title={`${label}: ${wordsOf(series, at, format)}`}
          />
        ))}
        <line class="svg-line" x1="0" x2="100%" y1={FLOOR} y2={FLOOR} />
        <text class="svg-quiet" x="0" y={HEIGHT - 3} font-size="11">
          {begin}
        </text>
        <text class="svg-quiet" x="100%" y={HEIGHT - 3} font-size="11" text-anchor="end">
          {end}
        </text>
      </svg>
      <details>
        <summary class="small">As a table</summary>
        <ChartTable title={title} series={series} labels={labels} format={format} />
      </details>
    </figure>
  );
}

/** Which colour is which; whoever cannot see it has the table. */
const Keys = ({ series }: { series: readonly Series[] }): Html => (
  <p class="keys small" aria-hidden="true">
    {series.map(({ name, tone }) => (
      <span>
        <svg width="10" height="10">
          <rect class={`svg-${tone}`} width="10" height="10" rx="2" />
        </svg>{" "}
        {name}
      </span>
    ))}
  </p>
);

function Bars(props: {
  series: readonly Series[];
  at: number;
  of: number;
  max: number;
  title: string;
}): Html {
  const { series, at, of, max, title } = props;
  const width = 100 / of;
  let y = FLOOR;
  const bars = series.flatMap(({ values, tone }) => {
    const value = values[at] ?? 0;
    if (value === 0 || max === 0) return [];
    // Something is never drawn as nothing.
    const height = Math.max(2, (value / max) * (FLOOR - TOP));
    y -= height;
    return [{ tone, y, height }];
  });
  return (
    <g>
      <title>{title}</title>
      {bars.map((bar) => (
        <rect
          class={`svg-${bar.tone}`}
          x={`${(at * width + (width * GAP) / 2).toFixed(3)}%`}
          y={bar.y.toFixed(1)}
          width={`${(width * (1 - GAP)).toFixed(3)}%`}
          height={bar.height.toFixed(1)}
        />
      ))}
    </g>
  );
}

const wordsOf = (series: readonly Series[], at: number, format: (value: number) => string): string =>
  series.map(({ name, values }) => `${name} ${format(values[at] ?? 0)}`).join(", ");

function ChartTable(props: {
  title: string;
  series: readonly Series[];
  labels: readonly string[];
  format: (value: number) => string;
}): Html {
  const { title, series, labels, format } = props;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={`${title}, as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Hour from</th>
            {series.map(({ name }) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, at) => (
            <tr>
              <th scope="row">{label}</th>
              {series.map(({ values }) => (
                <td class="number">{format(values[at] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
