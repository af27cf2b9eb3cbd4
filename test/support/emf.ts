import { METRIC_DIMENSIONS, METRICS, type MetricName, type Metrics } from "../../lib/core/metrics.ts";

/** One metric line of a function's log. */
export type EmfLine = {
  _aws: {
    CloudWatchMetrics: {
      Namespace: string;
      Dimensions: string[][];
      Metrics: { Name: string; Unit: string }[];
    }[];
  };
} & Record<string, unknown>;

/** The metric lines among the lines of a log. */
export function emfLines(log: string): EmfLine[] {
  return log
    .split("\n")
    .filter((line) => line.includes('"_aws"'))
    .map((line) => JSON.parse(line) as EmfLine);
}

/** What is wrong with a line by F67: a name nobody declared, a dimension that could be an id, another unit. */
export function emfFaults(line: EmfLine): string[] {
  return line["_aws"].CloudWatchMetrics.flatMap(({ Dimensions, Metrics: metrics }) => [
    ...Dimensions.filter((keys) => keys.toSorted().join() !== METRIC_DIMENSIONS.toSorted().join()).map(
      (keys) => `dimensions ${keys.join()}`,
    ),
    ...metrics
      .filter(({ Name, Unit }) => METRICS[Name as MetricName] !== Unit)
      .map(({ Name, Unit }) => `${Name} in ${Unit}`),
  ]);
}

/** Keeps what is emitted. */
export function givenMetrics() {
  const emitted: Partial<Record<MetricName, number>>[] = [];
  const metrics: Metrics = { emit: (values) => void emitted.push(values) };
  return { metrics, emitted };
}
