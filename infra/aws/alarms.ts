import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
  type IMetric,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { AppStack } from "./app-stack.ts";
import { emittedMetrics } from "./metrics.ts";
import type { Settings } from "./settings.ts";
import type { Tables } from "./tables.ts";

type AlarmSpec = {
  id: string;
  /** Heading of the runbook, as its address has it. */
  anchor: string;
  says: string;
  metric: IMetric;
  /** Alarms at this value and above. */
  from: number;
  /** How many periods in a row. */
  periods?: number;
  /** Silence is the alarm, and so is a value below `from`. */
  whenMissing?: true;
};

const RUNBOOK = "docs/runbook.md";

type Watched = { stack: AppStack; tables: Tables; settings: Settings };

/** What somebody must look at, and where it stands what to do. Nothing alarms that waits for its owner anyway. */
export function createAlarms(watched: Watched): Alarm[] {
  const scope = new Construct(watched.stack, "Alarms");
  const { alarmTopic } = watched.settings;
  const topic = alarmTopic === undefined ? undefined : Topic.fromTopicArn(scope, "Topic", alarmTopic);
  return alarmsOf(watched).map((spec) => {
    const alarm = new Alarm(scope, spec.id, {
      alarmDescription: `${spec.says} ${RUNBOOK}#${spec.anchor}`,
      metric: spec.metric,
      threshold: spec.from,
      evaluationPeriods: spec.periods ?? 1,
      comparisonOperator: spec.whenMissing
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: spec.whenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (topic) alarm.addAlarmAction(new SnsAction(topic));
    return alarm;
  });
}

function alarmsOf({ stack, tables, settings }: Watched): AlarmSpec[] {
  const { functions, queues, failures, http } = stack;
  const emitted = emittedMetrics(settings.stage);
  const every5 = { period: Duration.minutes(5) };
  const deadLetters = (name: "wake" | "run") =>
    queues[name].deadLetters.metricApproximateNumberOfMessagesVisible({ ...every5, statistic: "Maximum" });
  return [
    {
      id: "NoPass",
      anchor: "no-pass",
      says: "No pass has reported for 15 minutes: nothing new is started.",
      metric: emitted("ItemsStarted", "schedulePass", { statistic: "SampleCount", everyMin: 15 }),
      from: 1,
      whenMissing: true,
    },
    {
      id: "RoundsFailed",
      anchor: "rounds-failed",
      says: "A round of resume, pass or recover failed or could not be started.",
      metric: failures.metricApproximateNumberOfMessagesVisible({ ...every5, statistic: "Maximum" }),
      from: 1,
    },
    ...(["run", "wake"] as const).map((name) => ({
      id: name === "run" ? "RunDeadLetters" : "WakeDeadLetters",
      anchor: "dead-letters",
      says: `A ${name} doorbell was delivered too often and given up.`,
      metric: deadLetters(name),
      from: 1,
    })),
    {
      id: "PoisonMessages",
      anchor: "poison-messages",
      says: "A message came to a doorbell queue that is no doorbell.",
      metric: new MathExpression({
        expression: "run + wake",
        usingMetrics: {
          run: emitted("PoisonMessages", "queueRun"),
          wake: emitted("PoisonMessages", "queueWake"),
        },
        ...every5,
      }),
      from: 1,
    },
    {
      id: "RunsExhausted",
      anchor: "runs-exhausted",
      says: "A run was recovered five times and given up.",
      metric: emitted("RunsExhausted", "scheduleRecover"),
      from: 1,
    },
    {
      id: "RunsFailed",
      anchor: "runs-failed",
      says: "Five runs or more failed within an hour.",
      metric: emitted("RunsFailed", "queueRun", { everyMin: 60 }),
      from: 5,
    },
    {
      id: "PendingTooLong",
      anchor: "pending-too-long",
      says: "An item has waited for half an hour in a lane that may run.",
      metric: emitted("OldestPendingAgeMs", "schedulePass", { statistic: "Maximum" }),
      from: Duration.minutes(30).toMilliseconds(),
      periods: 3,
    },
    {
      id: "RunningTooLong",
      anchor: "running-too-long",
      says: "A run has been at work, or decided and not taken, for two hours.",
      metric: emitted("OldestRunningAgeMs", "scheduleRecover", { statistic: "Maximum" }),
      from: Duration.hours(2).toMilliseconds(),
    },
    {
      id: "DoorbellsWait",
      anchor: "doorbells-wait",
      says: "A run doorbell has waited for 15 minutes: there are too few runners, or they are throttled.",
      metric: queues.run.queue.metricApproximateAgeOfOldestMessage({ ...every5, statistic: "Maximum" }),
      from: Duration.minutes(15).toSeconds(),
    },
    {
      id: "RunnerFails",
      anchor: "runner-fails",
      says: "The runner timed out, ran out of memory or threw three times within 15 minutes.",
      metric: functions.queueRun.metricErrors({ period: Duration.minutes(15), statistic: "Sum" }),
      from: 3,
    },
    {
      id: "ApiFails",
      anchor: "api-fails",
      says: "Five requests or more were answered 5xx within five minutes.",
      metric: http.api.metricServerError({ ...every5, statistic: "Sum" }),
      from: 5,
    },
    {
      id: "TablesThrottle",
      anchor: "tables-throttle",
      says: "Writes to the tables that carry runs were throttled.",
      metric: new MathExpression({
        expression: "runs + queue + lanes",
        usingMetrics: Object.fromEntries(
          (["runs", "queue", "lanes"] as const).map((name) => [
            name,
            tables[name].metric("WriteThrottleEvents", { ...every5, statistic: "Sum" }),
          ]),
        ),
        ...every5,
      }),
      from: 10,
    },
  ];
}
