import { estimateTokens, type Model, type ModelReply, type ModelRequest } from "../../lib/model/model.ts";

type Said = string | (Partial<ModelReply> & { text: string });

/** A text, a reply whose other fields are filled in, an error to throw, or any of these from the request. */
export type ScriptedReply = Said | Error | ((request: ModelRequest) => Said | Error | Promise<Said | Error>);

/** By step id, in the order of its calls; or one function that answers every request. */
export type Script =
  | { readonly [stepId: string]: readonly ScriptedReply[] }
  | ((request: ModelRequest, nth: number) => ScriptedReply);

/** A model that says what the test wrote, and the requests it was asked, in order. */
export type ScriptedModel = Model & { readonly calls: readonly ModelRequest[] };

/** A model that replies by step id; a call past the script throws, naming the step. */
export function scriptedModel(script: Script): ScriptedModel {
  const calls: ModelRequest[] = [];
  const taken = new Map<string, number>();
  const model: Model = async (request) => {
    calls.push(request);
    const nth = taken.get(request.stepId) ?? 0;
    taken.set(request.stepId, nth + 1);
    request.signal.throwIfAborted();
    const reply = typeof script === "function" ? script(request, nth) : script[request.stepId]?.[nth];
    if (reply === undefined) {
      throw new Error(`the script has no reply for call ${nth + 1} of step "${request.stepId}"`);
    }
    const said = typeof reply === "function" ? await untilAborted(request.signal, reply(request)) : reply;
    if (said instanceof Error) throw said;
    return completed(request, typeof said === "string" ? { text: said } : said);
  };
  return Object.assign(model, { calls });
}

/** A reply that waits until the test releases it; `started` resolves when the model has been called. */
export function heldReply(said: Said | Error): {
  reply: ScriptedReply;
  started: Promise<void>;
  release(): void;
} {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    reply: async () => {
      started.resolve();
      await released.promise;
      return said;
    },
    started: started.promise,
    release: () => released.resolve(),
  };
}

function completed(request: ModelRequest, said: Partial<ModelReply> & { text: string }): ModelReply {
  const input = request.parts.reduce((sum, part) => sum + estimateTokens(part.text), 0);
  return {
    model: "scripted",
    usage: {
      input: estimateTokens(request.instructions) + input,
      cacheRead: 0,
      cacheWrite: 0,
      output: estimateTokens(said.text),
      estimated: true,
    },
    stop: "end",
    costMicroUsd: 0,
    ...said,
  };
}

/** The answer, or the signal's reason when it is aborted first: a held call must not outlive its lease. */
async function untilAborted<T>(signal: AbortSignal, answer: T | Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
