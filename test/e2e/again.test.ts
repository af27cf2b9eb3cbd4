import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
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
import { asAgent, mythos, type Said } from "./cli-process.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

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

test("a rejected brief is requeued once: its requester's repeat finds it, anybody else is told of it, and its new run is held", async () => {
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
  const other = await steward.ask("POST", `/api/items/${itemId}/requeue`);
  expect(other.status).toBe(409);
  expect(problemOf(other)).toMatchObject({ code: "run_superseded", itemId: newItem, runId });
  const second = await agent.ask("POST", `/api/items/${itemId}/requeue`);
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

describe("the command line", () => {
  const asked = (args: readonly string[]) => mythos(args, { env: asAgent(host) });
  const parsed = <T>(said: Said): T => JSON.parse(said.out) as T;

  test("runs log tells what was kept, asked, held, decided and how it ended", async () => {
    const { runId } = await rejectedDraft("What is a log?");
    const log = await asked(["runs", "log", runId]);
    expect(log).toMatchObject({ code: 0, err: "" });
    const story = log.out.split("\n").map((line) => line.slice(18));
    const at = (pattern: RegExp) => story.findIndex((line) => pattern.test(line));
    const order = [
      /^created for item_/,
      /^process draft: done, .* tokens$/,
      /^attempt 1: .*, end, /,
      /^process revise: done/,
      /^held as hold_.*, revision 1, sha256:/,
      /^reject by .*: not yet$/,
      /^cancelled/,
    ].map(at);
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(parsed<RunRecord>(await asked(["runs", "log", runId, "--json"]))).toMatchObject({ runId });

    const forked = await asked(["runs", "fork", runId, "--from", "revise", "--json"]);
    const { runId: newRun } = parsed<Again>(forked);
    await runThatIs(agent, newRun, "suspended");
    const kept = (await asked(["runs", "log", newRun])).out;
    expect(kept).toContain(`keeps what ${runId} did before revise`);
    expect(kept).toContain(`process draft: kept from ${runId}`);
  });

  test("retry, rerun and fork answer with the new run, and exit by what was wrong", async () => {
    const { runId, itemId } = await rejectedDraft("What is an exit code?");
    const first = await asked(["queue", "retry", itemId]);
    expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^Enqueued item_.*-2\nRun {6}run_/) });
    expect((await asked(["runs", "rerun", runId])).out).toMatch(/^Already there: item_.*-2\n/);
    const newRun = runId.replace(/1$/, "2");
    await runThatIs(agent, newRun, "suspended");
    expect(await asked(["runs", "rerun", newRun])).toMatchObject({
      code: 5,
      err: expect.stringContaining("is suspended"),
    });
    const nowhere = await asked(["runs", "fork", runId, "--from", "nowhere"]);
    expect(nowhere).toMatchObject({ code: 5, err: expect.stringContaining("nowhere") });
    expect(await asked(["runs", "fork", runId])).toMatchObject({ code: 2 });
    expect(await asked(["runs", "rerun", "run_x"])).toMatchObject({ code: 3 });
    expect(await asked(["queue", "retry", "item_x"])).toMatchObject({ code: 3 });
    expect(await asked(["queue", "drop", `${itemId.slice(0, -1)}2`, "--yes"])).toMatchObject({
      code: 5,
      err: expect.stringContaining(`mythos runs cancel ${newRun}`),
    });
  });

  test("drop takes an item out of a queue that waits, once somebody has agreed", async () => {
    const paused = demoLibrary()
      .find(({ text }) => text.includes("`/draft-memo`"))!
      .text.replace(/^# .*$/m, "# Paused drafting")
      .replaceAll("/draft-memo", "/paused-draft")
      .replace("**Status** `live`", "**Status** `paused`");
    await importFiles(steward, [{ path: "paused.md", text: paused }]);
    const { itemId } = parsed<{ itemId: string }>(
      await asked(["enqueue", "paused-draft", "--set", "topic=waits", "--json"]),
    );
    expect(await asked(["queue", "drop", itemId])).toMatchObject({ code: 2 });
    expect(await agent.get<ShownItem>(`/api/items/${itemId}`)).toMatchObject({ status: "pending" });
    expect(await asked(["queue", "drop", itemId, "--yes"])).toMatchObject({ code: 0 });
    expect(await agent.get<ShownItem>(`/api/items/${itemId}`)).toMatchObject({ status: "cancelled" });
  });

  test("what has landed is done again only with a yes", async () => {
    const { runId, hold } = await heldDraft(agent, "What has landed?");
    await steward.post(`/api/holds/${hold.holdId}/decision`, { verdict: "approve", sha256: hold.sha256 });
    await runThatIs(agent, runId, "done");
    expect(await asked(["runs", "rerun", runId])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--yes"),
    });
    expect(await asked(["runs", "rerun", runId, "--yes"])).toMatchObject({ code: 0 });
  });

  test("dead letters are listed and redriven, by queue or both", async () => {
    expect(await asked(["dead-letters", "list"])).toMatchObject({ code: 0, out: "run: none\nwake: none\n" });
    expect(await asked(["dead-letters", "redrive", "--queue", "run", "--max", "5"])).toMatchObject({
      code: 0,
      out: "run: 0 sent again, 0 left\n",
    });
    expect(await asked(["dead-letters", "redrive", "--max", "0"])).toMatchObject({ code: 2 });
    expect(await asked(["dead-letters", "list", "--queue", "turn"])).toMatchObject({ code: 2 });
    const json = parsed<{ queues: unknown[] }>(await asked(["dead-letters", "list", "--json"]));
    expect(json.queues).toHaveLength(2);
    const { MYTHOS_INTERNAL_KEY: _key, ...env } = asAgent(host);
    expect(await mythos(["dead-letters", "list"], { env })).toMatchObject({ code: 4 });
  });
});
