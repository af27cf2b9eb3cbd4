import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Ticker } from "../../lib/core/clock.ts";
import { throttled, unanswered } from "../support/memory/answers.ts";
import { clientOf, isWrite, type Command, type MemoryEngine } from "../support/memory/engine.ts";

/** How a call to the store goes: whole, or as faults have it. */
export type Fate =
  | "answered"
  /** Applied, the answer lost, and sent again by the SDK: the caller sees the second answer. */
  | "answer lost"
  /** Applied, and no attempt of the SDK was answered. */
  | "unanswered"
  | "throttled"
  | "killed before"
  | "killed after";

type Call = { command: Command | undefined; resolve(answer: unknown): void; reject(error: unknown): void };

/** One process: it stops at every call to the store until the scheduler lets the call through. */
export type Process = {
  readonly name: string;
  readonly calls: Call[];
  /** How likely it is to go on beside the others. */
  weight: number;
  state: "alive" | "ended" | "dead";
  failure: unknown;
  /** The epoch of the lease it holds, once it has one. */
  epoch: number | undefined;
  readonly beats: Set<() => void>;
  readonly doc: DynamoDBDocumentClient;
  readonly ticker: Ticker;
  /** A place to stop at that is no call, such as the answer of a model. */
  stop(): Promise<void>;
};

/** Runs processes one store call at a time, in the order that the caller chooses. */
export function createScheduler(engine: MemoryEngine) {
  const processes: Process[] = [];
  let acting: Process | undefined;

  function spawn(name: string, weight: number, work: (process: Process) => Promise<void>): Process {
    const calls: Call[] = [];
    const beats = new Set<() => void>();
    const waitFor = (command: Command | undefined) =>
      new Promise<unknown>((resolve, reject) => void calls.push({ command, resolve, reject }));
    const process: Process = {
      name,
      calls,
      weight,
      state: "alive",
      failure: undefined,
      epoch: undefined,
      beats,
      doc: clientOf(waitFor),
      ticker: (_everyMs, work) => {
        beats.add(work);
        return () => void beats.delete(work);
      },
      stop: async () => void (await waitFor(undefined)),
    };
    processes.push(process);
    const end = (failure: unknown) => {
      if (process.state === "alive") process.state = "ended";
      process.failure = failure;
    };
    acting = process;
    work(process).then(
      () => end(undefined),
      (error: unknown) => end(error ?? new Error("failed with nothing")),
    );
    return process;
  }

  /** Lets one call through; what the process does until its next call has happened when this resolves. */
  async function advance(process: Process, call: Call, fate: Fate): Promise<void> {
    process.calls.splice(process.calls.indexOf(call), 1);
    acting = process;
    const { command } = call;
    if (fate === "killed before") kill(process);
    else if (!command) call.resolve(undefined);
    else if (fate === "throttled") call.reject(throttled());
    else answer(process, command, call, fate);
    await settled();
  }

  function answer(process: Process, command: Command, call: Call, fate: Fate): void {
    try {
      let given = engine.answer(command);
      if (fate === "killed after") return kill(process);
      if (fate === "unanswered") return call.reject(unanswered());
      if (fate === "answer lost") given = engine.answer(command);
      call.resolve(given);
    } catch (error) {
      call.reject(error);
    }
  }

  /** A dead process is one whose calls are never answered: none of its code runs again. */
  function kill(process: Process): void {
    process.state = "dead";
    process.calls.splice(0);
    process.beats.clear();
  }

  return {
    spawn,
    advance,
    kill,
    acting: () => acting,
    alive: () => processes.filter(({ state }) => state === "alive"),
    failures: () => processes.filter(({ failure }) => failure !== undefined),
    /** Runs one piece of work to its end, with nobody else moving and nothing going wrong. */
    async alone(name: string, work: (process: Process) => Promise<void>): Promise<void> {
      const process = spawn(name, 1, work);
      await settled();
      while (process.state === "alive") {
        const call = process.calls[0];
        if (!call) throw new Error(`${name} waits for something that is no call`);
        await advance(process, call, "answered");
      }
    },
  };
}
export type Scheduler = ReturnType<typeof createScheduler>;

/** Everything that promises can do by themselves has been done. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** What may befall a call, for a writer and for a reader. */
export const fatesOf = (call: Call): readonly Fate[] => {
  if (!call.command) return ["killed before"];
  if (!isWrite(call.command)) return ["throttled", "killed before"];
  return ["answer lost", "answer lost", "unanswered", "throttled", "killed before", "killed after"];
};
