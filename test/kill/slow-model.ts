import { setTimeout as wait } from "node:timers/promises";
import { startModelStub } from "../support/model-stub.ts";

/** A model on the loopback that takes its time, so that a kill meets runs in the middle of a call; it counts calls by topic. */
export async function startSlowModel(random: () => number, delay: { fromMs: number; toMs: number }) {
  const stub = await startModelStub();
  const calls = new Map<string, number>();
  const now = { inFlight: 0 };
  stub.serves(async (request) => {
    const topic = /topic-\d+/.exec(request.text)?.[0] ?? "none";
    const nth = (calls.get(topic) ?? 0) + 1;
    calls.set(topic, nth);
    now.inFlight++;
    await wait(delay.fromMs + random() * (delay.toMs - delay.fromMs));
    now.inFlight--;
    return { text: `A draft about ${topic}, call ${nth}.`, usage: { input: 40, output: 12 } };
  });
  const model = {
    provider: "openai-compatible",
    model: "slow",
    baseUrl: stub.baseUrl("openai-compatible"),
    price: "free",
  };
  return {
    config: JSON.stringify({ models: { default: model } }),
    /** Resolves while it is being asked, at the latest after a time. */
    async untilAsked(atMostMs: number): Promise<void> {
      for (let waitedMs = 0; now.inFlight === 0 && waitedMs < atMostMs; waitedMs += 20) await wait(20);
    },
    /** How often the model was asked about a topic. */
    callsOf: (topic: string) => calls.get(topic) ?? 0,
    stop: () => stub.stop(),
  };
}
export type SlowModel = Awaited<ReturnType<typeof startSlowModel>>;
