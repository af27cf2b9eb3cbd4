import type { PassRecord } from "../passes/store.ts";
import { count, money, Pager, When } from "./format.tsx";
import { DayCharts } from "./passes-charts.tsx";
import type { PassDay } from "./passes-day.ts";
import { isListEnd, ListEnd } from "./runs-words.tsx";
import { PassTable } from "./passes-table.tsx";
import type { Html, Shown } from "./shown.ts";

export type PassesModel = {
  /** On the first page alone. */
  day: PassDay | null;
  spentToday: { costMicroUsd: number | null; tokens: number } | null;
  items: readonly PassRecord[];
  nextCursor: string | null;
};

/** What the rounds have done. */
export function Passes(model: PassesModel, shown: Shown): Html {
  const { day, spentToday, items, nextCursor } = model;
  return (
    <>
      <div class="head">
        <h1>Passes</h1>
        <p class="quiet">
          A pass looks for work and begins it. One that finds nothing to do leaves no row here, and none asks
          a model.
        </p>
      </div>
      {day && spentToday && <Stats day={day} newest={items[0]} spentToday={spentToday} shown={shown} />}
      {day && day.rounds > 0 && <DayCharts day={day} />}
      {isListEnd(model, shown) ? (
        <ListEnd />
      ) : items.length === 0 ? (
        <div class="empty">
          <p class="lead">No pass did anything yet.</p>
          <p>They come every five minutes, and at once when something is asked for.</p>
        </div>
      ) : (
        <PassTable passes={items} shown={shown} />
      )}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

function Stats(props: {
  day: PassDay;
  newest: PassRecord | undefined;
  spentToday: NonNullable<PassesModel["spentToday"]>;
  shown: Shown;
}): Html {
  const { day, newest, spentToday, shown } = props;
  const sum = (of: (hour: PassDay["hours"][number]) => number) =>
    count(day.hours.reduce((all, hour) => all + of(hour), 0));
  return (
    <dl class="stats">
      <div>
        <dt>Last pass</dt>
        <dd>{newest ? <When at={newest.at} now={shown.at} /> : "–"}</dd>
      </div>
      <div>
        <dt>Pending at most, 24 h</dt>
        <dd>
          <a href="/steward/queue">{count(Math.max(...day.hours.map(({ pending }) => pending)))}</a>
        </dd>
      </div>
      <div>
        <dt>Started, 24 h</dt>
        <dd>{sum(({ started }) => started)}</dd>
      </div>
      <div>
        <dt>Failed, 24 h</dt>
        <dd>{sum(({ failed }) => failed)}</dd>
      </div>
      <div>
        <dt>You spent today</dt>
        <dd>
          <a href="/steward/cost">{money(spentToday.costMicroUsd)}</a>
        </dd>
      </div>
    </dl>
  );
}
