import { Duration } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { METRIC_NAMESPACE, SERVICE, type MetricName } from "../../lib/core/metrics.ts";
import type { FunctionName } from "../topology.ts";

/** What the functions count, as alarms and the dashboard read it. */
export const emittedMetrics =
  (stage: string) =>
  (
    metricName: MetricName,
    emitter: FunctionName,
    { statistic = "Sum", everyMin = 5 }: { statistic?: string; everyMin?: number } = {},
  ): Metric =>
    new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      // As functions/middleware/metrics.ts writes them: another set of dimensions is another metric.
      dimensionsMap: { service: SERVICE, stage, function: emitter },
      statistic,
      period: Duration.minutes(everyMin),
    });
export type EmittedMetric = ReturnType<typeof emittedMetrics>;
