import { BarChart, type Series } from "./chart.tsx";
import { count } from "./format.tsx";
import type { Hour, PassDay } from "./passes-day.ts";
import type { Html } from "./shown.ts";
import { took } from "./timeline.tsx";

/** Small charts of the last 24 hours, by the hour. */
export function DayCharts({ day }: { day: PassDay }): Html {
  const { hours } = day;
  const labels = hours.map(({ from }) => `${new Date(from).toISOString().slice(11, 16)} UTC`);
  const common = { labels, begin: "24 h ago", end: "now" };
  const sum = (of: (hour: Hour) => number): number => hours.reduce((all, hour) => all + of(hour), 0);
  const most = (of: (hour: Hour) => number): number => Math.max(...hours.map(of));
  const series = (name: string, tone: Series["tone"], of: (hour: Hour) => number): Series => ({
    name,
    tone,
    values: hours.map(of),
  });
  return (
    <section aria-labelledby="day">
      <h2 id="day" class="visually-hidden">
        The last 24 hours
      </h2>
      {!day.complete && (
        <p class="note">
          There were more than {count(day.rounds)} passes: only the newest are drawn, and the first hours look
          emptier than they were.
        </p>
      )}
      <div class="charts">
        <BarChart
          {...common}
          title="Items"
          says={`${count(sum(({ started }) => started))} started, ${count(sum(({ failed }) => failed))} failed to start`}
          series={[
            series("started", "accent", ({ started }) => started),
            series("failed", "bad", ({ failed }) => failed),
          ]}
          format={count}
        />
        <BarChart
          {...common}
          title="Pending"
          says={`at most ${count(most(({ pending }) => pending))} waited after a pass`}
          series={[series("pending", "warn", ({ pending }) => pending)]}
          format={count}
        />
        <BarChart
          {...common}
          title="Duration"
          says={`the longest pass took ${took(most(({ ms }) => ms))}; each has a minute`}
          series={[series("longest", "accent", ({ ms }) => ms)]}
          format={took}
        />
        <BarChart
          {...common}
          title="Holds"
          says={`${count(sum(({ resumed }) => resumed))} decided ones taken up by a round, ${count(sum(({ expired }) => expired))} expired`}
          series={[
            series("taken up", "good", ({ resumed }) => resumed),
            series("expired", "bad", ({ expired }) => expired),
          ]}
          format={count}
        />
      </div>
    </section>
  );
}
