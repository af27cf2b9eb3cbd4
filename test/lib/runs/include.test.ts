import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Source, SourceText } from "../../../lib/core/source.ts";
import type { PromptPart } from "../../../lib/model/model.ts";
import { readPlan } from "../../../lib/runs/plan.ts";
import { STUCK_RUN_MS } from "../../../lib/runs/recover.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { createSession } from "../../../lib/sessions/create.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { killable } from "../../support/kill-switch.ts";
import { agent, createLoop, PLAIN_WORKFLOW } from "../../support/loop.ts";
import { heldReply, scriptedModel } from "../../support/scripted-model.ts";
import { OUTPUT, withOptions, stepWorkflow } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const including = (command: string, include: string, policy: readonly string[] = []) =>
  stepWorkflow({
    command,
    inputs: ["- **Input** `topic` string? — what about", "- **Input** `memoId` memo? — a memo"],
    loads: ["- **search** `{{payload.topic}}` top `2` max `3000 tokens`"],
    steps: [
      withOptions("**context** `gather` Gather.", [`**Include** ${include}`]),
      "**process** `draft` Write.",
      OUTPUT,
    ],
    policy,
  });

/** A source that says something else at every read. */
function changingSource(): Source & { reads: string[] } {
  const reads: string[] = [];
  return {
    scheme: "fetch",
    reads,
    async read(_context, argument): Promise<SourceText[]> {
      reads.push(argument);
      return [{ title: `Page ${argument}`, text: `read number ${reads.length}` }];
    },
  };
}

const sourceParts = (parts: readonly PromptPart[] = []) =>
  parts.filter(({ kind }) => kind === "search").map(({ title, text }) => [title, text]);

test("memo: brings in one memo by its id or its title, after the searches and before the payload", async () => {
  const model = scriptedModel(() => "Done.");
  const loop = createLoop(engine, { model });
  const ids = await loop.importFiles({
    "w.md": including("/memo-in", "`memo:{{payload.memoId}}`, `memo:Second one`"),
    "one.md": "# First one\n\nAlpha text.",
    "two.md": "# Second one\n\nBeta text.".replaceAll("\\\\n", "\\n"),
    "three.md": "# About zebras\n\nZebras are striped.".replaceAll("\\\\n", "\\n"),
  });
  const { runId } = await loop.enqueue("/memo-in", { topic: "zebras", memoId: ids["one.md"] });
  await loop.settleDown();
  const run = (await loop.runs.readHead(runId))!;
  expect(run.status).toBe("suspended");
  expect(model.calls[0]?.parts.map(({ kind, title }) => [kind, title])).toEqual([
    ["search", "About zebras"],
    ["search", "First one"],
    ["search", "Second one"],
    ["payload", "payload"],
  ]);
  const record = await runRecord(loop, run);
  const loads = record.loads.filter((load) => load.class === "source");
  expect(loads).toMatchObject([
    { ref: `memo:${ids["one.md"]}`, loaded: true, reason: "included by step gather", contentVersion: 1 },
    { ref: "memo:Second one", loaded: true, memoId: ids["two.md"], title: "Second one" },
  ]);
  expect(record.steps[2]).toMatchObject({ id: "draft", loads: record.loads });
});

test("what is missing ends the run with the reason; an optional field left out is skipped", async () => {
  const loop = createLoop(engine, { model: scriptedModel(() => "Done.") });
  await loop.importFiles({ "w.md": including("/memo-gone", "`memo:{{payload.memoId}}`") });
  const gone = await loop.enqueue("/memo-gone", { topic: "x", memoId: "memo_gone" });
  const without = await loop.enqueue("/memo-gone", { topic: "y" });
  await loop.settleDown();
  expect(await loop.runs.readHead(gone.runId)).toMatchObject({
    status: "failed",
    error: { code: "source_unavailable", class: "context", message: "there is no memo memo_gone" },
  });
  const run = (await loop.runs.readHead(without.runId))!;
  expect(run.status).toBe("suspended");
  expect((await runRecord(loop, run)).loads.at(-1)).toMatchObject({
    class: "source",
    loaded: false,
    reason: "nothing was found",
  });
});

test("runs:, holds: and sessions: list what is the owner's, and nothing of another owner", async () => {
  const model = scriptedModel(() => "Done.");
  const loop = createLoop(engine, { model });
  await loop.importFiles({
    "plain.md": PLAIN_WORKFLOW,
    "w.md": including("/digest", "`runs:7d`, `holds:open`, `sessions:live`"),
  });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW.replaceAll("Plain", "Theirs") }, "somebody");
  const theirs = { ...agent, ownerUid: "somebody" };
  await loop.enqueue("/plain", { topic: "their secret" }, {}, theirs);
  const { runId } = await loop.givenHeldRun("/plain", { topic: "waits for a person" });
  const session = await createSession(loop, { principal: agent, name: "my session", purpose: "testing" });
  await createSession(loop, { principal: theirs, name: "their session", purpose: "secret" });
  const digest = await loop.enqueueText("/digest", "{}", session.sessionId);
  await loop.settleDown();
  expect((await loop.runs.readHead(digest.runId))?.status).toBe("suspended");
  const shown = Object.fromEntries(sourceParts(model.calls.at(-1)?.parts) as [string, string][]);
  expect(Object.keys(shown)).toEqual(["Runs of the last 7d", "Open holds", "Live sessions"]);
  expect(shown["Runs of the last 7d"]).toContain(runId);
  expect(shown["Runs of the last 7d"]).toContain("suspended");
  expect(shown["Runs of the last 7d"]).not.toContain(digest.runId);
  expect(shown["Open holds"]).toContain("waits for a person");
  expect(shown["Live sessions"]).toMatch(/my session .* this run was asked for in it/);
  expect(JSON.stringify(shown)).not.toMatch(/their|somebody/i);
});

test("runs: takes only what was made in its time", async () => {
  const model = scriptedModel(() => "Done.");
  const loop = createLoop(engine, { model });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW, "w.md": including("/recent", "`runs:1h`") });
  const old = await loop.givenHeldRun("/plain", { topic: "long ago" });
  loop.clock.advance(3_600_001);
  const fresh = await loop.givenHeldRun("/plain", { topic: "just now" });
  await loop.enqueue("/recent", { topic: "recent" });
  await loop.settleDown();
  const text = sourceParts(model.calls.at(-1)?.parts).at(-1)?.[1];
  expect(text).toContain(fresh.runId);
  expect(text).not.toContain(old.runId);
});

test("an argument that a source does not know is refused by name", async () => {
  const loop = createLoop(engine, { model: scriptedModel(() => "Done.") });
  for (const [include, message] of [
    ["runs:forever", 'runs: takes a time such as 7d, not "forever"'],
    ["holds:all", 'holds: takes open, not "all"'],
    ["sessions:all", 'sessions: takes live, evidence or evidence:1 to evidence:50, not "all"'],
    [
      "sessions:evidence:51",
      'sessions: takes live, evidence or evidence:1 to evidence:50, not "evidence:51"',
    ],
    ["verdicts:0", 'verdicts: takes a number from 1 to 500, not "0"'],
    ["verdicts:501", 'verdicts: takes a number from 1 to 500, not "501"'],
  ] as const) {
    const command = `/odd-${include.replaceAll(":", "-")}`;
    await loop.importFiles({ [`${command}.md`]: including(command, `\`${include}\``) });
    const { runId } = await loop.enqueue(command, { topic: include });
    await loop.settleDown();
    expect(await loop.runs.readHead(runId)).toMatchObject({ error: { code: "source_unavailable", message } });
  }
});

test("a source that is not registered does not compile", async () => {
  const loop = createLoop(engine, { model: scriptedModel({}) });
  const ids = await loop.importFiles({ "w.md": including("/slack", "`slack:general`") });
  const found = await loop.workflows.byId("owner", ids["w.md"]!);
  expect(found?.compiled.diagnostics).toMatchObject([{ code: "MW315" }]);
});

test("what a source said is pinned: a crash, an approval and later steps read nothing again (O07)", async () => {
  const source = changingSource();
  const slow = heldReply("By the dead one.");
  const model = scriptedModel({ draft: [slow.reply, "A draft."], polish: ["Polished."] });
  const loop = createLoop(engine, { model, sources: { fetch: source } });
  const text = stepWorkflow({
    command: "/pinned",
    steps: [
      withOptions("**context** `page` Bring it.", ["**Include** `fetch:https://example.org/`"]),
      "**process** `draft` Write.",
      "**process** `polish` Polish {{steps.draft}}.",
      OUTPUT,
    ],
  });
  await loop.importFiles({ "pinned.md": text });
  const { runId } = await loop.enqueue("/pinned", { topic: "pinned" });
  await loop.pass();
  const dead = loop.run(loop.bells.shift()!);
  await slow.started;
  loop.clock.advance(STUCK_RUN_MS + 1);
  await loop.recover();
  await loop.deliver();
  slow.release();
  await dead;
  const held = (await loop.runs.readHead(runId))!;
  if (held.status !== "suspended") throw new Error(held.status);
  await loop.decide(held.gate.holdId, held.gate.sha256, "approve");
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.status).toBe("done");
  expect(source.reads).toEqual(["https://example.org/"]);
  expect(model.calls.map(({ stepId }) => stepId)).toEqual(["draft", "draft", "polish"]);
  for (const { parts } of model.calls) {
    expect(sourceParts(parts)).toEqual([["Page https://example.org/", "read number 1"]]);
  }
});

test("a kill between the pinned texts and the plan that names them reads nothing again", async () => {
  const source = changingSource();
  const command = "/killed";
  const setup = createLoop(engine, { model: scriptedModel({}) });
  await setup.importFiles({ "killed.md": including(command, "`fetch:a`, `fetch:b`") });
  await setup.enqueue(command, { topic: "killed" });
  await setup.pass();
  const bell = setup.bells.shift()!;
  // L1, then the rows of both sources; the process is gone before the plan is written.
  const dying = killable(engine.doc, { write: 3, when: "before" });
  const first = createLoop(
    { doc: dying.doc, tables: engine.tables },
    {
      model: scriptedModel({}),
      sources: { fetch: source },
    },
  );
  await expect(first.run(bell)).rejects.toThrow(/killed/i);
  expect(dying.isDead()).toBe(true);
  expect(dying.writes.filter((write) => write.includes("SOURCE"))).toHaveLength(2);
  expect(await readPlan(setup.runs, bell.runId)).toBeUndefined();
  const model = scriptedModel(() => "Done.");
  const second = createLoop(engine, { model, sources: { fetch: source }, clock: setup.clock });
  setup.clock.advance(STUCK_RUN_MS + 1);
  await second.recover();
  await second.deliver();
  expect((await setup.runs.readHead(bell.runId))?.status).toBe("suspended");
  expect(source.reads.toSorted()).toEqual(["a", "b"]);
  expect(sourceParts(model.calls[0]?.parts).map(([title]) => title)).toEqual(["Page a", "Page b"]);
});

test("a text of 600 KB from a source reaches the model whole, out of rows that each fit (O26)", async () => {
  const text = "ä🎉 ".repeat(100_000);
  const big: Source = { scheme: "fetch", read: async () => [{ title: "Big", text }] };
  const model = scriptedModel(() => "Done.");
  const loop = createLoop(engine, { model, sources: { fetch: big } });
  await loop.importFiles({
    "big.md": including("/big", "`fetch:x`", ["- **Budget** `900k tokens` per run"]),
  });
  await loop.enqueue("/big", { topic: "big" });
  await loop.settleDown();
  expect(sourceParts(model.calls[0]?.parts)).toEqual([["Big", text]]);
});

test("a context step after a process step includes what that step named", async () => {
  const source = changingSource();
  const model = scriptedModel({ pick: ["chosen"], write: ["Written."] });
  const loop = createLoop(engine, { model, sources: { fetch: source } });
  const text = stepWorkflow({
    command: "/late",
    steps: [
      withOptions("**context** `early` First.", ["**Include** `fetch:early`"]),
      "**process** `pick` Pick one.",
      withOptions("**context** `late` Second.", ["**Include** `fetch:{{steps.pick}}`"]),
      "**process** `write` Write from {{steps.pick}}.",
      OUTPUT,
    ],
  });
  await loop.importFiles({ "late.md": text });
  const { runId } = await loop.enqueue("/late", { topic: "late" });
  await loop.settleDown();
  const run = (await loop.runs.readHead(runId))!;
  expect(run.status).toBe("suspended");
  expect(source.reads).toEqual(["early", "chosen"]);
  expect(sourceParts(model.calls[0]?.parts).map(([title]) => title)).toEqual(["Page early"]);
  expect(sourceParts(model.calls[1]?.parts).map(([title]) => title)).toEqual(["Page early", "Page chosen"]);
  const record = await runRecord(loop, run);
  expect(record.steps.map(({ status }) => status)).toEqual(["done", "done", "done", "done", "done", "held"]);
  expect(record.steps[4]).toMatchObject({ loads: [{ ref: "fetch:early" }, { ref: "fetch:chosen" }] });
});

test("fetch: reads a listed host in a run, and none is listed unless the owner says so", async () => {
  const hits: string[] = [];
  const answer: RequestListener = (request, response) => {
    hits.push(request.url ?? "");
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<title>A page</title><body><h1>Tea</h1><p>Water &amp; leaves.</p><script>x()</script>");
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const texts = { "f.md": including("/fetches", `\`fetch:http://${place}/tea\``) };
    const closed = createLoop(engine, { model: scriptedModel(() => "Done.") });
    await closed.importFiles(texts);
    const refused = await closed.enqueue("/fetches", { topic: "refused" });
    await closed.settleDown();
    expect(await closed.runs.readHead(refused.runId)).toMatchObject({
      status: "failed",
      error: { code: "source_refused", hint: expect.stringContaining("fetch.hosts") },
    });
    expect(hits).toEqual([]);
    const model = scriptedModel(() => "Done.");
    const open = createLoop(engine, { model, fetchHosts: [place], clock: closed.clock });
    const read = await open.enqueue("/fetches", { topic: "read" });
    await open.settleDown();
    expect((await open.runs.readHead(read.runId))?.status).toBe("suspended");
    expect(hits).toEqual(["/tea"]);
    expect(sourceParts(model.calls[0]?.parts)).toEqual([["A page", "Tea\nWater & leaves."]]);
  } finally {
    server.close();
  }
});

/** A source that brings JSON objects, one for each word of its argument. */
const dataSource: Source = {
  scheme: "fetch",
  read: async (_context, argument) =>
    argument.split(",").map((word): SourceText => {
      const text = JSON.stringify({ [word]: [`${word} one`, `${word} two`], last: word });
      return { title: `Data of ${word}`, text, data: true };
    }),
};

const throughData = (command: string, contextAfter?: string) =>
  stepWorkflow({
    command,
    steps: [
      withOptions("**context** `scan` Look.", ["**Include** `fetch:a,b`"]),
      "**process** `all` Write of {{steps.scan.last}}.",
      ...(contextAfter
        ? [withOptions("**context** `later` Look again.", [`**Include** ${contextAfter}`])]
        : []),
      withOptions("**process** `each` Write.", [
        `**For each** \`steps.${contextAfter ? "later" : "scan"}.b\` max \`5\``,
        "**Uses** `all`, `scan`",
      ]),
      OUTPUT,
    ],
  });

test.each([
  ["at the start", undefined],
  ["after a process step", "`fetch:b`"],
])("data that a context step %s includes is its value: the last of two counts", async (place, after) => {
  const model = scriptedModel(() => "Done.");
  const loop = createLoop(engine, { model, sources: { fetch: dataSource } });
  const command = `/data-${place.replaceAll(" ", "-")}`;
  await loop.importFiles({ [`${command}.md`]: throughData(command, after) });
  await loop.enqueue(command, { topic: command });
  await loop.settleDown();
  const [all, ...each] = model.calls;
  expect(all?.instructions).toContain("Write of b.");
  expect(sourceParts(all?.parts).map(([title]) => title)).toEqual(["Data of a", "Data of b"]);
  expect(each.map(({ parts }) => parts.at(-1)?.text)).toEqual(["b one", "b two"]);
  for (const { parts } of each) {
    // What is gone through is not shown whole beside its element; other data is.
    const titles = sourceParts(parts).map(([title]) => title);
    expect(titles).toEqual(after ? ["Data of a", "Data of b"] : []);
    expect(parts.filter(({ kind }) => kind === "step").map(({ title }) => title)).toEqual(["all"]);
  }
});

test("a For each through a context step that brought texts alone says that there is no list", async () => {
  const loop = createLoop(engine, {
    model: scriptedModel(() => "Done."),
    sources: { fetch: changingSource() },
  });
  await loop.importFiles({ "no-list.md": throughData("/no-list") });
  const { runId } = await loop.enqueue("/no-list", { topic: "none" });
  await loop.settleDown();
  expect(await loop.runs.readHead(runId)).toMatchObject({
    error: { code: "schema_mismatch", message: expect.stringContaining("steps.scan.b, which is nothing") },
  });
});
