import { randomUUID } from "node:crypto";
import type { ScheduledEvent } from "aws-lambda";

export type SchedulerOptions = {
  /** Functions in the order in which a round fires them. */
  functions: readonly string[];
  everyMs: number;
  /** Fired before the others in the first round. */
  first?: string;
  region: string;
  invoke: (name: string, event: ScheduledEvent) => Promise<unknown>;
};

export type Scheduler = { stop(): Promise<void> };

/**
 * Fires the scheduled functions one after the other, at once and then every `everyMs`. A round that still runs
 * when the next one is due goes on alone, so no function ever runs twice at a time.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { functions, first } = options;
  let round: Promise<void> | undefined;
  let stopped = false;

  async function fire(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (stopped) return;
      await options.invoke(name, scheduledEvent(name, options.region));
    }
  }
  const start = (names: readonly string[]) => {
    round ??= fire(names).finally(() => {
      round = undefined;
    });
  };

  const atStart = functions.filter((name) => name === first);
  start([...atStart, ...functions.filter((name) => name !== first)]);
  const timer = setInterval(() => start(functions), options.everyMs);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await round;
    },
  };
}

/** What EventBridge hands to the target of a scheduled rule. */
const scheduledEvent = (name: string, region: string): ScheduledEvent => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "000000000000",
  time: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  region,
  resources: [`arn:aws:events:${region}:000000000000:rule/${name}`],
  detail: {},
});
