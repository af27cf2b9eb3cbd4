/** Every metric that the functions emit, with its unit. Ten at most: each name in each function is a price. */
export const METRICS = {
  /** Items that a pass claimed; 0 says that a pass came and had nothing to do. */
  ItemsStarted: "Count",
  RunsFailed: "Count",
  /** Runs whose runner went quiet, and that got another. */
  RunsRecovered: "Count",
  /** Runs that ended because they went quiet too often. */
  RunsExhausted: "Count",
  HoldsExpired: "Count",
  ModelCalls: "Count",
  /** Messages that are no doorbell, and that were acknowledged for that. */
  PoisonMessages: "Count",
  /** Of the lanes that a pass looked at: paused lanes and workflows that do not compile wait for their owner. */
  OldestPendingAgeMs: "Milliseconds",
  /** Of the runs that are running, or decided and not yet taken. */
  OldestRunningAgeMs: "Milliseconds",
  /** Of the holds whose deadlines come next. */
  OldestHoldAgeMs: "Milliseconds",
} as const satisfies Record<string, "Count" | "Milliseconds">;
export type MetricName = keyof typeof METRICS;

/** Nothing else tells two values of a metric apart: an id as a dimension would be a metric for each id. */
export const METRIC_DIMENSIONS = ["service", "stage", "function"] as const;

export const METRIC_NAMESPACE = "MythosLoops";
export const SERVICE = "mythos-loops";

/** Where a function says what it counted. */
export type Metrics = { emit(values: Partial<Record<MetricName, number>>): void };
