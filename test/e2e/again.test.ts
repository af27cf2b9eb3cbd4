import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import type { rerunView } from "../../lib/runs/rerun.ts";
import {
  clientOf,
  heldDraft,
  problemOf,
  runThatIs,
  type Answer,
  type Client,
  type RunRecord,
  type ShownItem,
} from "./client.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stop = async () => {};
let host: Host;
let agent: Client;
let steward: Client;
beforeAll(async () => {
  ({ host, stop } = await givenHost());
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  await importFiles(steward, demoLibrary());
});
afterAll(() => stop());

type Again = ReturnType<typeof rerunView>;
const againOf = (answer: Answer): Again => JSON.parse(answer.text) as Again;

async function rejectedDraft(topic: string) {
  const { runId, itemId, hold } = await heldDraft(agent, topic);
  const rejection = { verdict: "reject", sha256: hold.sha256, reason: "not yet" };
  await steward.post(`/api/holds/${hold.holdId}/decision`, rejection);
  await runThatIs(agent, runId, "cancelled");
  return { runId, itemId };
}

test("a rejected brief is requeued once, whoever asks again, and its new run is held", async () => {
  const { itemId } = await rejectedDraft("What is a requeue?");
  const session = await agent.post<{ sessionId: string }>("/api/internal/sessions", {
    name: "again",
    purpose: "ask for it again",
  });
  const inSession = clientOf(host, host.keys.agentKey, session.sessionId);
  const first = await inSession.ask("POST", `/api/items/${itemId}/requeue`);
  expect(first.status).toBe(202);
  expect(againOf(first)).toMatchObject({
    repeated: false,
    generation: 2,
    sessionId: session.sessionId,
    forkOf: null,
  });
  const { itemId: newItem, runId } = againOf(first);
  const second = await steward.ask("POST", `/api/items/${itemId}/requeue`);
  expect(second.status).toBe(200);
  expect(againOf(second)).toMatchObject({ repeated: true, itemId: newItem, runId });
  await runThatIs(agent, runId, "suspended");
  expect(await agent.get<ShownItem>(`/api/items/${itemId}`)).toMatchObject({
    status: "superseded",
    supersededBy: newItem,
  });
});

test("a fork over HTTP says what it keeps, and its record names the run that it came from", async () => {
  const { runId } = await rejectedDraft("What is a fork?");
  const unknown = await agent.ask("POST", `/api/runs/${runId}/fork`, { fromStep: "nowhere" });
  expect(unknown.status).toBe(409);
  expect(JSON.parse(unknown.text)).toMatchObject({
    code: "fork_step_unknown",
    allowed: ["draft", "revise", "publish"],
  });
  const made = againOf(await agent.ask("POST", `/api/runs/${runId}/fork`, { fromStep: "revise" }));
  expect(made).toMatchObject({ repeated: false, forkOf: { runId, step: "revise" } });
  const record = await runThatIs(agent, made.runId, "suspended");
  expect(record).toMatchObject({ forkOf: { runId, step: "revise" } });
  const outputOf = (run: RunRecord, id: string) =>
    run.steps.flatMap((step) => (step.id === id && "output" in step ? [step.output] : []));
  const old = await agent.get<RunRecord>(`/api/runs/${runId}`);
  expect(outputOf(record, "draft")).toEqual(outputOf(old, "draft"));
  expect(record.steps.find(({ id }) => id === "draft")).toMatchObject({ keptFrom: runId, tokens: 0 });
});

test("a rerun is a new run of the same item, and the old one stays as it was", async () => {
  const { runId } = await rejectedDraft("What is a rerun?");
  const old = await agent.get<RunRecord>(`/api/runs/${runId}`);
  const made = againOf(await agent.ask("POST", `/api/runs/${runId}/rerun`));
  await runThatIs(agent, made.runId, "suspended");
  expect(await agent.get<RunRecord>(`/api/runs/${runId}`)).toEqual(old);
});

test("dead letters are shown and rung again with the operators' key alone", async () => {
  const asOperator = (key: string | undefined, method: string, path: string, body?: unknown) =>
    clientOf(host, host.keys.agentKey).ask(method, `/api/internal/dead-letters${path}`, body, {
      ...(key !== undefined && { "x-internal-key": key }),
    });
  for (const key of [undefined, "", "wrong", host.keys.agentKey, `${host.keys.internalKey}x`]) {
    const refused = await asOperator(key, "GET", "?queue=run");
    expect([refused.status, problemOf(refused).code]).toEqual([401, "unauthenticated"]);
    expect((await asOperator(key, "POST", "/redrive", { queue: "run" })).status).toBe(401);
  }
  const key = host.keys.internalKey;
  for (const queue of ["run", "wake"]) {
    const listed = await asOperator(key, "GET", `?queue=${queue}`);
    expect(JSON.parse(listed.text)).toEqual({ queue, count: 0, messages: [] });
    const redriven = await asOperator(key, "POST", "/redrive", { queue, max: 5 });
    expect(JSON.parse(redriven.text)).toEqual({ queue, redriven: 0, failed: 0, left: 0 });
  }
  for (const query of ["", "?queue=", "?queue=turn"]) {
    expect(problemOf(await asOperator(key, "GET", query)).code).toBe("invalid_request");
  }
  for (const body of [
    {},
    { queue: "run", max: 0 },
    { queue: "run", max: 101 },
    { queue: "run", all: true },
  ]) {
    expect(problemOf(await asOperator(key, "POST", "/redrive", body)).code).toBe("invalid_request");
  }
});
