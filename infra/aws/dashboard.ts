import { Duration, Stack } from "aws-cdk-lib";
import {
  Dashboard,
  GraphWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type IMetric,
  type IWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { AppStack } from "./app-stack.ts";
import { emittedMetrics } from "./metrics.ts";
import type { Tables } from "./tables.ts";

const HEIGHT = 6;
/** Columns of a dashboard. */
const WIDTH = 24;
const EVERY = { period: Duration.minutes(5) };

/** One page for the passes and all that they depend on, a row for each. */
export const createDashboard = (stack: AppStack, tables: Tables, stage: string): Dashboard =>
  new Dashboard(stack, "Dashboard", {
    dashboardName: `mythos-${stage}`,
    defaultInterval: Duration.hours(6),
    widgets: [
      passRow(stage),
      ageRow(stage),
      runnerRow(stack, stage),
      queueRow(stack),
      apiRow(stack),
      tableRow(tables),
      [lastReports(stack)],
    ],
  });

/** A row of graphs of equal width. */
function row(graphs: Readonly<Record<string, IMetric[]>>): IWidget[] {
  const entries = Object.entries(graphs);
  return entries.map(
    ([title, left]) => new GraphWidget({ title, left, width: WIDTH / entries.length, height: HEIGHT }),
  );
}

function passRow(stage: string): IWidget[] {
  const emitted = emittedMetrics(stage);
  return row({
    "Pass: items started": [emitted("ItemsStarted", "schedulePass"), emitted("ItemsStarted", "queueWake")],
    "Recover: recovered, exhausted, expired": [
      emitted("RunsRecovered", "scheduleRecover"),
      emitted("RunsExhausted", "scheduleRecover"),
      emitted("HoldsExpired", "scheduleRecover"),
    ],
  });
}

function ageRow(stage: string): IWidget[] {
  const emitted = emittedMetrics(stage);
  const most = { statistic: "Maximum" };
  return row({
    "Oldest pending item": [emitted("OldestPendingAgeMs", "schedulePass", most)],
    "Oldest hold": [emitted("OldestHoldAgeMs", "scheduleRecover", most)],
    "Oldest running run": [emitted("OldestRunningAgeMs", "scheduleRecover", most)],
  });
}

function runnerRow({ functions: { queueRun } }: AppStack, stage: string): IWidget[] {
  const emitted = emittedMetrics(stage);
  return row({
    "Runner: calls of models, failed runs": [
      emitted("ModelCalls", "queueRun"),
      emitted("RunsFailed", "queueRun"),
    ],
    "Runner: invocations, errors, throttles": [
      queueRun.metricInvocations(EVERY),
      queueRun.metricErrors(EVERY),
      queueRun.metricThrottles(EVERY),
    ],
    "Runner: duration": [
      queueRun.metricDuration({ ...EVERY, statistic: "p50" }),
      queueRun.metricDuration({ ...EVERY, statistic: "p99" }),
    ],
  });
}

function queueRow({ queues, failures }: AppStack): IWidget[] {
  const most = { ...EVERY, statistic: "Maximum" };
  return row({
    "Queues: age of the oldest doorbell": Object.values(queues).map(({ queue }) =>
      queue.metricApproximateAgeOfOldestMessage(most),
    ),
    "Queues: doorbells that wait": Object.values(queues).map(({ queue }) =>
      queue.metricApproximateNumberOfMessagesVisible(most),
    ),
    "Dead letters and failed rounds": [
      ...Object.values(queues).map(({ deadLetters }) =>
        deadLetters.metricApproximateNumberOfMessagesVisible(most),
      ),
      failures.metricApproximateNumberOfMessagesVisible(most),
    ],
  });
}

function apiRow({ http: { api } }: AppStack): IWidget[] {
  return row({
    "API: requests": [api.metricCount(EVERY)],
    "API: 4xx and 5xx": [api.metricClientError(EVERY), api.metricServerError(EVERY)],
    "API: latency": [
      api.metricLatency({ ...EVERY, statistic: "p50" }),
      api.metricLatency({ ...EVERY, statistic: "p99" }),
    ],
  });
}

function tableRow(tables: Tables): IWidget[] {
  const each = (metric: (table: Tables[keyof Tables]) => IMetric) => Object.values(tables).map(metric);
  const sum = { ...EVERY, statistic: "Sum" };
  return row({
    "Tables: write units": each((table) => table.metricConsumedWriteCapacityUnits(sum)),
    "Tables: read units": each((table) => table.metricConsumedReadCapacityUnits(sum)),
    "Tables: throttled writes": each((table) => table.metric("WriteThrottleEvents", sum)),
  });
}

/** The lines that functions/middleware/scheduled.ts writes. */
const lastReports = ({ functions }: AppStack): IWidget =>
  new LogQueryWidget({
    title: "The last 20 pass reports",
    view: LogQueryVisualizationType.TABLE,
    width: WIDTH,
    height: 2 * HEIGHT,
    region: Stack.of(functions.schedulePass).region,
    logGroupNames: [
      functions.scheduleResume,
      functions.schedulePass,
      functions.scheduleRecover,
      functions.queueWake,
    ].map((fn) => fn.logGroup.logGroupName),
    queryLines: [
      "fields @timestamp, round, pending, fired, started, failedItems, resumed, recovered, redispatched, exhausted, expired, skipped, ms",
      'filter message = "pass report"',
      "sort @timestamp desc",
      "limit 20",
    ],
  });
