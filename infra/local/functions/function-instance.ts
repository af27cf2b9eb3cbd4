import { Worker } from "node:worker_threads";
import type { ThreadEvent, ThreadMessage, ThreadStart } from "./function-thread.ts";

/** How an invocation ended. Whoever fires a function decides what a failure means for it. */
export type Outcome =
  | { ok: true; payload: string }
  | { ok: false; failure: "threw" | "timeout" | "crash" | "too_large"; message: string };

export type InstanceOptions = ThreadStart & {
  timeoutMs: number;
  /** All that the function sees as its environment. */
  env: Record<string, string>;
  onOutput: (text: string) => void;
};

/** One running copy of a function. It takes one event at a time and is dead after a timeout or a crash. */
export type Instance = {
  /** Resolves when the code is loaded; a failure when it could not be. */
  ready: Promise<Outcome>;
  invoke(event: string, requestId: string): Promise<Outcome>;
  isAlive(): boolean;
  stop(): Promise<void>;
};

/** Lambda's own limit for loading a function's code. */
const INIT_MS = 10_000;
/** Lambda's limit of an answer, in bytes: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const ANSWER_MAX_BYTES = 6_291_556;

/** Starts a copy of a function in a thread of its own: an endless loop, an exit or a full memory ends it alone. */
export function startInstance(options: InstanceOptions): Instance {
  const { name, file, memoryMb, timeoutMs } = options;
  const worker = new Worker(new URL("function-thread.ts", import.meta.url), {
    name,
    workerData: { name, file, memoryMb } satisfies ThreadStart,
    env: options.env,
    execArgv: ["--enable-source-maps"],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
  });
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.setEncoding("utf8").on("data", options.onOutput);
  }

  let alive = true;
  let settle: ((outcome: Outcome) => void) | undefined;
  /** The next message, the thread's end, or the time that is up, whichever is first. */
  const wait = (limitMs: number) =>
    new Promise<Outcome>((resolve) => {
      const timer = setTimeout(() => {
        end({ ok: false, failure: "timeout", message: `${name} took longer than ${limitMs / 1000} s` });
        void worker.terminate();
      }, limitMs);
      settle = (outcome) => {
        clearTimeout(timer);
        settle = undefined;
        resolve(outcome);
      };
    });
  const end = (outcome: Outcome) => {
    alive = false;
    settle?.(outcome);
  };
  worker.on("message", (message: ThreadMessage) => settle?.(outcomeOf(name, message)));
  worker.on("error", (error) => {
    options.onOutput(`${error.stack ?? error.message}\n`);
    end({ ok: false, failure: "crash", message: `${name} crashed: ${error.message}` });
  });
  worker.on("exit", (code) => {
    end({ ok: false, failure: "crash", message: `${name} ended by itself with code ${code}` });
  });

  return {
    ready: wait(INIT_MS),
    invoke(event, requestId) {
      if (!alive) return Promise.resolve({ ok: false, failure: "crash", message: `${name} is not running` });
      const outcome = wait(timeoutMs);
      worker.postMessage({ event, requestId, timeoutMs } satisfies ThreadEvent);
      return outcome;
    },
    isAlive: () => alive,
    async stop() {
      end({ ok: false, failure: "crash", message: `${name} was stopped` });
      await worker.terminate();
    },
  };
}

function outcomeOf(name: string, message: ThreadMessage): Outcome {
  if (message.kind === "ready") return { ok: true, payload: "null" };
  if (message.kind === "threw") return { ok: false, failure: "threw", message: message.message };
  if (Buffer.byteLength(message.payload) > ANSWER_MAX_BYTES) {
    return {
      ok: false,
      failure: "too_large",
      message: `${name} answered more than ${ANSWER_MAX_BYTES} bytes`,
    };
  }
  return { ok: true, payload: message.payload };
}
