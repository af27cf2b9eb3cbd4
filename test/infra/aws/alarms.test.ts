import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { METRIC_DIMENSIONS, METRICS } from "../../../lib/core/metrics.ts";
import { FUNCTIONS } from "../../../infra/topology.ts";
import { resources, spell, synthesise } from "./synthesised.ts";

type MetricOf = {
  Namespace?: string;
  MetricName?: string;
  Dimensions?: { Name: string; Value: unknown }[];
};
type AlarmProperties = MetricOf & {
  AlarmDescription: string;
  Metrics?: { MetricStat?: { Metric: MetricOf } }[];
  TreatMissingData: string;
  Period?: number;
  EvaluationPeriods: number;
  Threshold: number;
  ComparisonOperator: string;
  Statistic?: string;
  AlarmActions?: unknown[];
};
type Widget = { type: string; properties: { title: string; metrics?: unknown[][]; query?: string } };

const synthesised = synthesise({ stage: "dev" });
const alarms = resources<AlarmProperties>(synthesised.app, "AWS::CloudWatch::Alarm");
const runbook = readFileSync(new URL("../../../docs/runbook.md", import.meta.url), "utf8");

/** Addresses of the headings of one part of a document, as GitHub makes them. */
function anchorsOf(document: string, section: string): string[] {
  const part = document.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? "";
  return [...part.matchAll(/^### (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(" ", "-"));
}
const namedBy = ({ AlarmDescription }: AlarmProperties) =>
  /^\S.+\. docs\/runbook\.md#([a-z-]+)$/.exec(AlarmDescription)?.[1];

/** Metrics of ours that a value of the template names, with their dimensions. */
const oursIn = (alarm: AlarmProperties): MetricOf[] =>
  [alarm, ...(alarm.Metrics ?? []).flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])].filter(
    (metric) => metric.Namespace === "MythosLoops",
  );

describe("alarms", () => {
  test("each says in a sentence what is wrong and names a part of the runbook, and each part has its alarm", () => {
    const named = [...alarms.values()].map(namedBy);
    expect(named).not.toContain(undefined);
    expect([...new Set(named)].toSorted()).toEqual(anchorsOf(runbook, "Alarms").toSorted());
    expect(anchorsOf("## Alarms\n\n### No pass\n\n## Other\n\n### Else\n", "Alarms")).toEqual(["no-pass"]);
  });

  test("the runbook's own references lead somewhere", () => {
    const all = ["Alarms", "Deployment"].flatMap((section) => anchorsOf(runbook, section));
    const references = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, anchor]) => anchor);
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((anchor) => !all.includes(anchor!))).toEqual([]);
  });

  test("no pass for 15 minutes alarms, and so does silence", () => {
    const [alarm] = [...alarms.values()].filter((each) => namedBy(each) === "no-pass");
    expect(alarm).toMatchObject({
      MetricName: "ItemsStarted",
      Statistic: "SampleCount",
      Period: 900,
      EvaluationPeriods: 1,
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      TreatMissingData: "breaching",
    });
  });

  test("F20: one exhausted run is enough", () => {
    const [alarm] = [...alarms.values()].filter((each) => namedBy(each) === "runs-exhausted");
    expect(alarm).toMatchObject({ MetricName: "RunsExhausted", Statistic: "Sum", Threshold: 1 });
  });

  test("F67: they read metrics that functions emit, under the dimensions that they emit them with", () => {
    const read = [...alarms.values()].flatMap(oursIn);
    expect(read.length).toBeGreaterThanOrEqual(6);
    for (const { MetricName, Dimensions } of read) {
      expect(Object.keys(METRICS)).toContain(MetricName);
      const given = Object.fromEntries(Dimensions!.map(({ Name, Value }) => [Name, Value]));
      expect(Object.keys(given).toSorted()).toEqual(METRIC_DIMENSIONS.toSorted());
      expect(given).toMatchObject({ service: "mythos-loops", stage: "dev" });
      expect(Object.keys(FUNCTIONS)).toContain(given["function"]);
    }
  });

  test("without a topic they only show; with one each tells it", () => {
    expect([...alarms.values()].filter((each) => each.AlarmActions)).toEqual([]);
    const alarmTopic = "arn:aws:sns:eu-central-1:123456789012:ops";
    const told = resources<AlarmProperties>(synthesise({ alarmTopic }).app, "AWS::CloudWatch::Alarm");
    expect(told.size).toBe(alarms.size);
    for (const { AlarmActions } of told.values()) expect(AlarmActions).toEqual([alarmTopic]);
  });
});

describe("the dashboard", () => {
  const [page] = resources<{ DashboardName: string; DashboardBody: unknown }>(
    synthesised.app,
    "AWS::CloudWatch::Dashboard",
  ).values();
  const { widgets } = JSON.parse(
    spell(synthesised, page!.DashboardBody).replaceAll(/"(\w+)\.(Arn|QueueName)"/g, '"$1"'),
  ) as { widgets: Widget[] };
  const titles = widgets.map(({ properties }) => properties.title);

  test("is one, with a row each for passes, ages, runner, queues, API and tables", () => {
    expect(page!.DashboardName).toBe("mythos-dev");
    for (const row of [
      "Pass",
      "Oldest pending",
      "Oldest hold",
      "Oldest running",
      "Runner",
      "Queues",
      "API",
    ]) {
      expect(titles.some((title) => title.startsWith(row))).toBe(true);
    }
    expect(titles.some((title) => title.startsWith("Tables"))).toBe(true);
  });

  test("ends with the last 20 pass reports, out of the lines that the rounds write", () => {
    const log = widgets.at(-1)!;
    expect(log.type).toBe("log");
    expect(log.properties.query).toMatch(
      /filter message = "pass report"\n\| sort @timestamp desc\n\| limit 20/,
    );
    expect(log.properties.query!.match(/SOURCE/g)).toHaveLength(4);
  });
});
