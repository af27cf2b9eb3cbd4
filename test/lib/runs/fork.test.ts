import { afterEach, beforeEach, expect, test } from "vitest";
import { EnqueueRequest } from "../../../lib/intake/enqueue-item.ts";
import { fork } from "../../../lib/runs/fork.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { rerun } from "../../../lib/runs/rerun.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { killable } from "../../support/kill-switch.ts";
import { agent, createLoop, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";
import { OUTPUT, stepWorkflow, withOptions } from "../../support/step-workflow.ts";

let engine: Engine;
let loop: Loop;
let model: ScriptedModel;
let reads = 0;
const sources = {
  fetch: {
    scheme: "fetch",
    read: async (_context: object, argument: string) => [
      { title: argument, text: `read ${++reads} ${"long ".repeat(90_000)}` },
    ],
  },
};
beforeEach(async () => {
  reads = 0;
  engine = await startEngine();
  model = scriptedModel((_request, nth) => `Answer ${nth + 1}.`);
  loop = createLoop(engine, { model, sources });
});
afterEach(() => engine.stop());

/** Three answers, each from the one before, over a page that says something else at every read. */
const workflow = (policy: readonly string[] = []) =>
  stepWorkflow({
    command: "/chain",
    inputs: ["- **Input** `topic` string — what about"],
    steps: [
      withOptions("**context** `gather` Gather.", ["**Include** `fetch:https://page.example`"]),
      "**process** `first` Begin with {{payload.topic}}.",
      withOptions("**context** `more` Gather more.", ["**Include** `fetch:https://more.example`"]),
      "**process** `second` Go on with {{steps.first}}.",
      "**process** `third` End with {{steps.second}} in {{run.id}}.",
      OUTPUT,
    ],
    policy: ["- **Budget** `4000k tokens` per run", ...policy],
  });

const asking = { principal: agent, sessionId: null };
const stepsAsked = () => model.calls.map(({ stepId }) => stepId);
const nextRun = (runId: string) => runId.replace(/1$/, "2");

async function givenEnded(policy: readonly string[] = []) {
  await loop.importFiles({ "chain.md": workflow(policy) });
  const held = await loop.givenHeldRun("/chain", { topic: "forks" });
  await loop.decide(held.holdId, held.sha256, "reject");
  await loop.deliver();
  expect(stepsAsked()).toEqual(["first", "second", "third"]);
  const { manifest } = await recordOf(held.runId);
  return { runId: held.runId, manifest };
}

async function recordOf(runId: string) {
  return runRecord(loop, (await loop.runs.readHead(runId))!);
}

test("a fork keeps the steps before it: no model is called for them, and nothing is read again", async () => {
  const { runId, manifest } = await givenEnded();
  const made = await fork(loop, runId, "third", asking);
  expect(made).toMatchObject({ repeated: false, item: { generation: 2, forkOf: { runId, step: "third" } } });
  await loop.settleDown();
  expect(stepsAsked()).toEqual(["first", "second", "third", "third"]);
  expect(reads).toBe(2);
  const [asked, again] = model.calls.filter(({ stepId }) => stepId === "third");
  expect(again!.parts).toEqual(asked!.parts);
  expect(again!.instructions).toBe(asked!.instructions.replaceAll(runId, nextRun(runId)));
  const record = await recordOf(nextRun(runId));
  expect(record).toMatchObject({ status: "suspended", forkOf: { runId, step: "third" }, manifest });
  const old = await recordOf(runId);
  expect(old.forkOf).toBeNull();
  const kept = record.steps.filter((step) => "keptFrom" in step);
  expect(kept.map(({ id }) => id)).toEqual(["first", "second"]);
  for (const step of kept) expect(step).toMatchObject({ keptFrom: runId, tokens: 0, costMicroUsd: 0 });
  const outputs = (shown: typeof record) =>
    shown.steps.flatMap((step) => ("output" in step ? [[step.id, step.output]] : []));
  expect(outputs(record).slice(0, 2)).toEqual(outputs(old).slice(0, 2));
});

test("a fork from the output files the same text again, and calls no model at all", async () => {
  const { runId } = await givenEnded();
  const calls = model.calls.length;
  await fork(loop, runId, "publish", asking);
  await loop.settleDown();
  expect(model.calls).toHaveLength(calls);
  const [old, record] = [await recordOf(runId), await recordOf(nextRun(runId))];
  expect(record).toMatchObject({ status: "suspended" });
  expect(record.proposal?.text).toBe(old.proposal?.text);
});

test("killed at any write the fork ends the same, with each kept row as it was", async () => {
  const { runId } = await givenEnded();
  await fork(loop, runId, "third", asking);
  await loop.pass();
  const { clock } = loop;
  const dead: string[] = [];
  // Each runner dies one write later than the one before, until one comes through.
  for (let write = 0; write < 40 && loop.bells.length > 0; write++) {
    const killed = killable(engine.doc, { write, when: write % 2 === 0 ? "before" : "after" });
    const runner = createLoop({ ...engine, doc: killed.doc }, { model, sources, clock, bells: [] });
    await runner.run(loop.bells.shift()!).catch((thrown: unknown) => {
      if (!killed.isDead()) throw thrown;
    });
    if (!killed.isDead()) break;
    dead.push(killed.writes.at(-1)!);
    // So often that it would be given up: it is the writes that are proven here.
    await loop.runs.writeHead(nextRun(runId), { name: "spare", set: { recoveries: 0 }, when: [] });
    clock.advance(STUCK_RUN_MS + 1);
    await loop.recover();
  }
  await loop.settleDown();
  expect(dead.some((name) => name.endsWith("MANIFEST"))).toBe(true);
  expect(dead.some((name) => name.endsWith("STEP"))).toBe(true);
  expect(dead.some((name) => name.endsWith("SOURCE"))).toBe(true);
  const record = await recordOf(nextRun(runId));
  expect(record.status).toBe("suspended");
  expect(stepsAsked().filter((id) => id !== "third")).toEqual(["first", "second"]);
  expect(reads).toBe(2);
});

test("a step that the run did not reach, or that is none to fork from, is refused with those that are", async () => {
  await loop.importFiles({ "chain.md": workflow() });
  const failing = createLoop(engine, {
    model: scriptedModel({ first: ["One."], second: [new Error("gone")] }),
    sources,
  });
  const { runId } = await failing.enqueue("/chain", { topic: "fails" });
  await failing.settleDown();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "failed" });
  for (const step of ["third", "publish", "gather", "item", "nothing", ""]) {
    await expect(fork(loop, runId, step, asking)).rejects.toMatchObject({
      code: "fork_step_unknown",
      details: { allowed: ["first", "second"] },
    });
  }
  await fork(loop, runId, "second", asking);
  await loop.settleDown();
  expect(await recordOf(nextRun(runId))).toMatchObject({ status: "suspended" });
  expect(stepsAsked()).toEqual(["second", "third"]);
});

test("a run that has not ended is not forked, another owner's is unknown, and a repeat answers the first", async () => {
  await loop.importFiles({ "chain.md": workflow() });
  const { runId, holdId, sha256 } = await loop.givenHeldRun("/chain", { topic: "open" });
  await expect(fork(loop, runId, "third", asking)).rejects.toMatchObject({ code: "run_not_ended" });
  await loop.decide(holdId, sha256, "reject");
  await loop.deliver();
  const stranger = { principal: { ...agent, ownerUid: "stranger" }, sessionId: null };
  await expect(fork(loop, runId, "third", stranger)).rejects.toMatchObject({ code: "run_not_found" });
  const { item } = await fork(loop, runId, "third", asking);
  expect(await fork(loop, runId, "third", asking)).toEqual({ repeated: true, item });
  const other = { principal: steward, sessionId: null };
  for (const act of [
    () => fork(loop, runId, "second", asking),
    () => fork(loop, runId, "third", other),
    () => rerun(loop, runId, asking),
  ]) {
    await expect(act()).rejects.toMatchObject({
      code: "run_superseded",
      details: { runId: nextRun(runId), itemId: item.itemId, generation: 2, status: "pending" },
    });
  }
});

test("an old plan that lands without a person is not followed once the workflow has changed", async () => {
  const auto = ["- **Approval** `auto`"];
  await loop.importFiles({ "chain.md": workflow(auto) });
  const { runId } = await loop.enqueue("/chain", { topic: "auto" });
  await loop.settleDown();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done" });
  await fork(loop, runId, "third", asking);
  await loop.importFiles({ "chain.md": workflow() });
  await expect(fork(loop, runId, "third", asking)).rejects.toMatchObject({ code: "fork_outdated" });
  // The one that was asked for before the change does not start either.
  await loop.settleDown();
  expect(await loop.runs.readHead(nextRun(runId))).toMatchObject({
    status: "failed",
    error: { code: "fork_outdated" },
  });
});

test("a rerun of a fork begins at the beginning", async () => {
  const { runId } = await givenEnded();
  await fork(loop, runId, "publish", asking);
  await loop.settleDown();
  const held = await loop.runs.readHead(nextRun(runId));
  if (held?.status !== "suspended") throw new Error("expected a hold");
  await loop.decide(held.gate.holdId, held.gate.sha256, "reject");
  await loop.deliver();
  const { item } = await rerun(loop, nextRun(runId), asking);
  expect(item).toMatchObject({ generation: 3 });
  expect(item).not.toHaveProperty("forkOf");
  await loop.settleDown();
  expect(stepsAsked().slice(3)).toEqual(["first", "second", "third"]);
});

test("no payload and no model text can make a run a fork", async () => {
  const { runId } = await givenEnded();
  const forkOf = { runId, step: "publish" };
  expect(EnqueueRequest.safeParse({ payload: {}, forkOf }).success).toBe(false);
  await loop.importFiles({
    "free.md": workflow()
      .replaceAll("/chain", "/free")
      .replace("# chain", "# free")
      .replace("- **Input** `topic` string — what about\n", "")
      .replace("{{payload.topic}}", "it"),
  });
  const { item } = await loop.enqueue("/free", { forkOf, topic: JSON.stringify({ forkOf }) });
  expect(item).not.toHaveProperty("forkOf");
  const before = model.calls.length;
  await loop.settleDown();
  expect(stepsAsked().slice(before)).toEqual(["first", "second", "third"]);
});
