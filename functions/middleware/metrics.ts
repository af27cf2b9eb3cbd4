import { Metrics as EmbeddedMetrics } from "@aws-lambda-powertools/metrics";
import { METRIC_NAMESPACE, METRICS, SERVICE, type MetricName, type Metrics } from "../../lib/core/metrics.ts";

/** Metrics as lines of the function's own log (EMF): no call to make, and none to wait for. */
export function createMetrics({ stage, name }: { stage: string; name: string }): Metrics {
  const embedded = new EmbeddedMetrics({
    namespace: METRIC_NAMESPACE,
    serviceName: SERVICE,
    // The declared name and not the deployed one, which alarms could not know.
    defaultDimensions: { stage, function: name },
  });
  return {
    emit(values) {
      for (const [metric, value] of Object.entries(values)) {
        embedded.addMetric(metric, METRICS[metric as MetricName], value);
      }
      embedded.publishStoredMetrics();
    },
  };
}
