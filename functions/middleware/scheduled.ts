import type { PassReport } from "../../lib/runs/pass-report.ts";
import { errorFields, type Log } from "./log.ts";

/**
 * A scheduled round: logs its report and answers it. A failed round throws, so that it is counted as failed; the
 * next tick is its retry.
 */
export function scheduledHandler(
  name: "resume" | "pass" | "recover",
  deps: {
    log: Log;
    round(): Promise<PassReport>;
    /** Keeps the report of a round that did something. */
    record?: ((round: string, report: PassReport) => Promise<void>) | undefined;
    /** Emits what the round counted, whether or not it did something. */
    measure?: ((report: PassReport) => void) | undefined;
  },
): () => Promise<PassReport> {
  return async () => {
    try {
      const report = await deps.round();
      const { skipped, ...counts } = report;
      deps.log.info("pass report", { round: name, ...counts, skipped: JSON.stringify(skipped) });
      deps.measure?.(report);
      await deps.record?.(name, report);
      return report;
    } catch (error) {
      deps.log.error("round failed", { round: name, ...errorFields(error) });
      throw error;
    }
  };
}
