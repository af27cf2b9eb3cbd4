import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import type { ShownCost } from "../../lib/client/answers.ts";
import { clientOf, heldDraft } from "./client.ts";
import { asAgent, mythos } from "./cli-process.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stop = async () => {};
let host: Host;
beforeAll(async () => {
  ({ host, stop } = await givenHost());
  await importFiles(clientOf(host, host.keys.stewardKey), demoLibrary());
});
afterAll(() => stop());

test("what a run used stands in its list, and in the cost by each thing that there is", async () => {
  const agent = clientOf(host, host.keys.agentKey);
  const { runId } = await heldDraft(agent, "What does it cost?");
  const { items } = await agent.get<{ items: { runId: string; tokens: number; calls: number }[] }>(
    "/api/runs",
  );
  const run = items.find((shown) => shown.runId === runId)!;
  expect(run).toMatchObject({ calls: expect.any(Number), costMicroUsd: 0 });
  expect(run.tokens).toBeGreaterThan(0);
  for (const [by, named] of [
    ["workflow", { title: "Memo drafting" }],
    ["day", { day: expect.any(String) }],
    ["session", { sessionId: null }],
    ["model", { model: "offline" }],
  ] as const) {
    const said = await mythos(["cost", "--by", by, "--json"], { env: asAgent(host) });
    const cost = JSON.parse(said.out) as ShownCost;
    expect(cost.items).toMatchObject([{ ...named, tokens: run.tokens, calls: run.calls, costMicroUsd: 0 }]);
  }
  const { out, code } = await mythos(["cost"], { env: asAgent(host) });
  expect(code).toBe(0);
  expect(out).toContain("no prices were needed");
});
