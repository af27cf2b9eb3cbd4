import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { billTable, orchestrationPerMillion, PRICED_ON, RUN, WATCHED } from "./bench/bill.ts";
import { resources, synthesise } from "./infra/aws/synthesised.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README has the table of costs as it is computed, with its units and the day of its prices", () => {
  expect(readme).toContain(billTable());
  expect(readme).toContain(`${RUN.writes} write units, ${RUN.reads} read units`);
  expect(readme).toContain(PRICED_ON);
  expect(readme).toContain(`${orchestrationPerMillion().toFixed(2)} USD for a million`);
});

test("a million runs with a hold cost 40 USD or less in units and doorbells", () => {
  expect(orchestrationPerMillion()).toBeLessThanOrEqual(40);
});

test("the alarms of a deployment watch as many metrics as are paid for in it", () => {
  type Watching = { Metrics?: { MetricStat?: object }[] };
  const alarms = [...resources<Watching>(synthesise().app, "AWS::CloudWatch::Alarm").values()];
  const watched = alarms.map(({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1);
  expect(watched.reduce((sum, many) => sum + many, 0)).toBe(WATCHED.alarmed);
});
