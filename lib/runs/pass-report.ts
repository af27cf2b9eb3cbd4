import type { PassReport } from "../core/pass-report.ts";

export type { PassReport } from "../core/pass-report.ts";

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
