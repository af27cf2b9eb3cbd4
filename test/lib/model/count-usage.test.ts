import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelConfigOf, parseConfig } from "../../../lib/model/config.ts";
import { createConfiguredModel } from "../../../lib/model/configured-model.ts";
import type { Usage } from "../../../lib/model/model.ts";
import { costOf, tokensOf } from "../../../lib/model/usage.ts";
import { modelRequest } from "../../support/model-request.ts";
import { startModelStub, type ModelStub, type Protocol } from "../../support/model-stub.ts";
import { STUB_KEY, stubConfig } from "../../support/stub-config.ts";

let stub: ModelStub;
beforeAll(async () => {
  stub = await startModelStub();
});
afterAll(() => stub.stop());

const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../fixtures/model", `${name}.json`), "utf8");

async function replyTo(protocol: Protocol, name: string, more: object = {}) {
  const config = parseConfig(stubConfig(stub, protocol, more));
  stub.answers({ status: 200, body: recorded(name) });
  return createConfiguredModel(config, modelConfigOf(config, "default")!, () => STUB_KEY)(modelRequest());
}

const counted = (usage: Omit<Usage, "estimated">): Usage => ({ ...usage, estimated: false });

test.each<[Protocol, string, Usage]>([
  ["bedrock", "bedrock-cached", counted({ input: 312, cacheRead: 4096, cacheWrite: 1248, output: 87 })],
  ["anthropic", "anthropic-cached", counted({ input: 21, cacheRead: 512, cacheWrite: 188_086, output: 393 })],
  // What was cached is a part of the prompt's tokens, and what was reasoned a part of the answer's.
  [
    "openai-compatible",
    "openai-cached-reasoning",
    counted({ input: 86, cacheRead: 1920, cacheWrite: 0, output: 300 }),
  ],
  ["openai-compatible", "ollama", counted({ input: 58, cacheRead: 0, cacheWrite: 0, output: 9 })],
  ["openai-compatible", "vllm", counted({ input: 61, cacheRead: 0, cacheWrite: 0, output: 9 })],
])("of %s the recorded answer %s counts each token once", async (protocol, name, usage) => {
  const reply = await replyTo(protocol, name);
  expect(reply).toMatchObject({ text: "Lanes are queues.", stop: "end" });
  expect(reply.usage).toEqual(usage);
});

test.each<[Protocol, string]>([
  ["bedrock", "bedrock-cached"],
  ["openai-compatible", "openai-cached-reasoning"],
])("of %s the sum is the provider's own total for %s", async (protocol, name) => {
  const { usage } = JSON.parse(recorded(name)) as {
    usage: { totalTokens?: number; total_tokens?: number };
  };
  expect(tokensOf((await replyTo(protocol, name)).usage)).toBe(usage.totalTokens ?? usage.total_tokens);
});

test("estimates where nothing was counted, or where the config says not to believe it", async () => {
  expect((await replyTo("openai-compatible", "uncounted")).usage.estimated).toBe(true);
  const { usage } = await replyTo("openai-compatible", "ollama", { usage: "estimated" });
  expect(usage.estimated).toBe(true);
  expect(usage.input).not.toBe(58);
});

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, asOf: "2026-05-01" };

test("a cost is whole millionths of a dollar, never less than the sum of its buckets", () => {
  const usage = counted({ input: 312, cacheRead: 4096, cacheWrite: 1248, output: 87 });
  expect(costOf(usage, price)).toBe(Math.ceil(936 + 1228.8 + 4680 + 1305));
  // 0.1 + 0.2 is not a reason to round up.
  expect(
    costOf(counted({ input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }), {
      ...price,
      input: 0.1,
      output: 0.9,
    }),
  ).toBe(1);
});

test("without prices of its own a cache costs what input costs", () => {
  const usage = counted({ input: 0, cacheRead: 10, cacheWrite: 10, output: 0 });
  expect(costOf(usage, { input: 3, output: 15, asOf: "2026-05-01" })).toBe(60);
});

test("no price is no cost, and free is none", () => {
  const usage = counted({ input: 1, cacheRead: 1, cacheWrite: 1, output: 1 });
  expect(costOf(usage, null)).toBeNull();
  expect(costOf(usage, "free")).toBe(0);
});
