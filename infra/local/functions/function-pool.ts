import { startInstance, type Instance, type InstanceOptions, type Outcome } from "./function-instance.ts";

export type PoolOptions = InstanceOptions & { maxInstances: number };

export type Pool = {
  /** Hands the event to a warm copy, or to a new one while there are fewer than the limit; else it waits. */
  invoke(event: string, requestId: string): Promise<Outcome>;
  /** Loads the code before the first event comes. */
  warm(): void;
  /** Invocations that run or wait. */
  busy(): number;
  stop(): Promise<void>;
};

type Job = { event: string; requestId: string; resolve: (outcome: Outcome) => void };

/** A copy that nobody called for this long is ended; each holds about 40 MB. */
const IDLE_MS = 10 * 60 * 1000;

/** The copies of one function, started when events come. */
export function createPool(options: PoolOptions): Pool {
  const { name } = options;
  const waiting: Job[] = [];
  const idle: { instance: Instance; reaper: NodeJS.Timeout }[] = [];
  const instances = new Set<Instance>();
  let starting = 0;
  let running = 0;
  let stopped = false;

  function pump(): void {
    while (waiting.length > 0 && idle.length > 0) {
      // The one used last: the others stay idle and are ended in time.
      const { instance, reaper } = idle.pop()!;
      clearTimeout(reaper);
      // It may have crashed between two events.
      if (instance.isAlive()) void run(instance, waiting.shift()!);
      else instances.delete(instance);
    }
    while (waiting.length > starting && instances.size < options.maxInstances) void start();
  }

  async function start(): Promise<void> {
    const instance = startInstance(options);
    instances.add(instance);
    starting += 1;
    const ready = await instance.ready;
    starting -= 1;
    if (ready.ok) return release(instance);
    instances.delete(instance);
    // As on AWS, the event that caused the start fails with it.
    waiting.shift()?.resolve(ready);
    pump();
  }

  async function run(instance: Instance, job: Job): Promise<void> {
    running += 1;
    const outcome = await instance.invoke(job.event, job.requestId);
    running -= 1;
    job.resolve(outcome);
    release(instance);
  }

  function release(instance: Instance): void {
    if (instance.isAlive() && !stopped) {
      const reaper = setTimeout(() => retire(instance), IDLE_MS).unref();
      idle.push({ instance, reaper });
    } else {
      instances.delete(instance);
    }
    pump();
  }

  function retire(instance: Instance): void {
    const position = idle.findIndex((each) => each.instance === instance);
    idle.splice(position, 1);
    instances.delete(instance);
    void instance.stop();
  }

  const stoppedOutcome: Outcome = { ok: false, failure: "crash", message: `${name} was stopped` };
  return {
    invoke: (event, requestId) =>
      new Promise((resolve) => {
        if (stopped) return resolve(stoppedOutcome);
        waiting.push({ event, requestId, resolve });
        pump();
      }),
    warm() {
      if (instances.size === 0 && !stopped) void start();
    },
    busy: () => running + waiting.length,
    async stop() {
      stopped = true;
      for (const job of waiting.splice(0)) job.resolve(stoppedOutcome);
      for (const { reaper } of idle.splice(0)) clearTimeout(reaper);
      await Promise.all([...instances].map((instance) => instance.stop()));
    },
  };
}
