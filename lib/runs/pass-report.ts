/** What one pass did; also the answer of the cron route. */
export type PassReport = {
  /** Items that still wait in the lanes that were looked at. */
  pending: number;
  /** Items that schedules put in their lanes. */
  fired: number;
  /** Items that were claimed. */
  started: number;
  /** Items that could not be claimed and were settled instead. */
  failedItems: number;
  /** Decided runs that were rung. */
  resumed: number;
  /** Runs that had gone quiet and got a new epoch. */
  recovered: number;
  /** Runs that nobody had picked up and were rung again. */
  redispatched: number;
  /** Runs that ended because they went quiet too often. */
  exhausted: number;
  /** Holds that outlived their time. */
  expired: number;
  /** Lanes that left `ready`, and slots of schedules that passed without an item, by reason. */
  skipped: Record<string, number>;
  /** Always 0: the code of a pass holds no model. */
  modelCalls: 0;
  ms: number;
};

export const emptyReport = (): PassReport => ({
  pending: 0,
  fired: 0,
  started: 0,
  failedItems: 0,
  resumed: 0,
  recovered: 0,
  redispatched: 0,
  exhausted: 0,
  expired: 0,
  skipped: {},
  modelCalls: 0,
  ms: 0,
});

/** One report of several passes. */
export function addReports(reports: readonly PassReport[]): PassReport {
  const sum = emptyReport();
  for (const report of reports) {
    sum.pending += report.pending;
    sum.fired += report.fired;
    sum.started += report.started;
    sum.failedItems += report.failedItems;
    sum.resumed += report.resumed;
    sum.recovered += report.recovered;
    sum.redispatched += report.redispatched;
    sum.exhausted += report.exhausted;
    sum.expired += report.expired;
    sum.ms += report.ms;
    for (const [reason, count] of Object.entries(report.skipped)) {
      sum.skipped[reason] = (sum.skipped[reason] ?? 0) + count;
    }
  }
  return sum;
}
