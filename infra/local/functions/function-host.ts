import { randomUUID } from "node:crypto";
import type { Outcome } from "./function-instance.ts";
import { createPool } from "./function-pool.ts";

/** A function as the host runs it: the declaration's limits, the file whose `handler` is called, its environment. */
export type HostedFunction = {
  file: string;
  timeoutMs: number;
  memoryMb: number;
  /** Copies that may run at once. */
  maxInstances: number;
  env: Record<string, string>;
};

export type FunctionHost = {
  /** Runs one event; the event passes as JSON. Never rejects: a crash and a timeout are outcomes. */
  invoke(name: string, event: unknown, requestId?: string): Promise<Outcome>;
  /** Loads functions that are about to be called, beside what else goes on. */
  warm(names: readonly string[]): void;
  /** Waits for what runs, at most `graceMs`, then ends every copy. */
  stop(graceMs: number): Promise<void>;
};

/** Runs functions as Lambda would, each copy in a thread of its own. A thread is started by an event, or by `warm`. */
export function createFunctionHost(options: {
  functions: Readonly<Record<string, HostedFunction>>;
  /** What functions print, and why an invocation failed. */
  onOutput: (name: string, text: string) => void;
  onFailure: (name: string, message: string) => void;
}): FunctionHost {
  const { onOutput, onFailure } = options;
  const pools = new Map(
    Object.entries(options.functions).map(([name, hosted]) => [
      name,
      createPool({ ...hosted, name, onOutput: (text) => onOutput(name, text) }),
    ]),
  );
  let stopping = false;
  return {
    async invoke(name, event, requestId = randomUUID()) {
      const pool = pools.get(name);
      if (!pool) throw new Error(`no function is named ${name}`);
      if (stopping) return { ok: false, failure: "crash", message: "the host is stopping" };
      const outcome = await pool.invoke(JSON.stringify(event), requestId);
      if (!outcome.ok && !stopping) onFailure(name, outcome.message);
      return outcome;
    },
    warm(names) {
      for (const name of names) pools.get(name)?.warm();
    },
    async stop(graceMs) {
      stopping = true;
      const until = performance.now() + graceMs;
      const busy = () => [...pools.values()].some((pool) => pool.busy() > 0);
      while (busy() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
      await Promise.all([...pools.values()].map((pool) => pool.stop()));
    },
  };
}
