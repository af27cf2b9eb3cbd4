import { afterAll, beforeAll, expect, test } from "vitest";
import { requesterOf } from "../../../lib/core/principal.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import type { ModelRequest } from "../../../lib/model/model.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { OUTPUT, stepWorkflow } from "../../support/step-workflow.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const words = (word: string, count: number) => Array.from({ length: count }, () => word).join(" ");
const NOTES = {
  "rules.md": "# Rules\n\nBe brief.",
  "checklist.md": "# Checklist\n\nCheck names.",
  "glossary.md": "# Glossary\n\nA memo is a note.",
  "long.md": `# Long on otters\n\nOtters otters. ${words("otter", 3000)}`,
  "short.md": "# Short on otters\n\nAn otter swims.",
  "other.md": "# Other otters\n\nAn otter sleeps, and an otter dives.",
};
const STEPS = [
  "**context** `gather` Gather.",
  "**process** `draft` Write about {{payload.topic}}.",
  "**process** `revise` Mend {{steps.draft}}.",
  OUTPUT,
];
const inputs = ["- **Input** `topic` string — what about", "- **Input** `kind` string? — which kind"];

const seen = (request: ModelRequest | undefined) =>
  request?.parts.map(({ kind, title }) => `${kind} ${title}`);

let made = 0;
async function run(
  loads: readonly string[],
  payload: Record<string, unknown>,
  steps: readonly string[] = STEPS,
) {
  const model = scriptedModel(() => "Said.");
  const loop = createLoop(engine, { model });
  const command = `/contract${++made}`;
  const ids = await loop.importFiles({
    ...NOTES,
    [`contract${made}.md`]: stepWorkflow({ command, inputs, loads, steps }),
  });
  const { runId } = await loop.enqueue(command, payload);
  await loop.settleDown();
  const head = (await loop.runs.readHead(runId))!;
  return { model, loop, ids, head, record: await runRecord(loop, head) };
}

test("a step sees gates, its own hook, triggers that hold and hits, in this order, and then the payload", async () => {
  const { model, record } = await run(
    [
      "- **search** `{{payload.topic}}` top `1` max `3000 tokens`",
      "- **trigger** [[Glossary]] when `payload.kind` is `terms`",
      "- **hook** [[Checklist]] at `revise`",
      "- **gate** [[Rules]] — always",
    ],
    { topic: "otter swims", kind: "terms" },
  );
  expect(seen(model.calls[0])).toEqual([
    "gate Rules",
    "trigger Glossary",
    "search Short on otters",
    "payload payload",
  ]);
  expect(seen(model.calls[1])).toEqual([
    "gate Rules",
    "hook Checklist",
    "trigger Glossary",
    "search Short on otters",
    "payload payload",
    "step draft",
  ]);
  const [, , draft, revise] = record.steps as { loads: { class: string; reason: string }[] }[];
  expect(draft?.loads.map((load) => load.class)).toEqual(["search", "trigger", "gate"]);
  expect(revise?.loads.map((load) => load.class)).toEqual(["search", "trigger", "gate", "hook"]);
  expect(revise?.loads).toMatchObject([
    { reason: "hit 1 of 1", score: expect.any(Number), contentVersion: 1, tokens: expect.any(Number) },
    { reason: 'payload.kind is "terms"', contentVersion: 1 },
    { reason: "always loaded", contentVersion: 1 },
    { reason: "loaded at revise", contentVersion: 1 },
  ]);
});

test("a trigger whose condition does not hold is skipped, with the reason on the run", async () => {
  for (const [payload, reason] of [
    [{ topic: "x", kind: "prose" }, 'not: payload.kind is "terms"'],
    [{ topic: "x" }, "payload.kind is missing"],
  ] as const) {
    const { model, record } = await run(
      ["- **trigger** [[Glossary]] when `payload.kind` is `terms`"],
      payload,
    );
    expect(seen(model.calls[0])).toEqual(["payload payload"]);
    expect(record.loads).toMatchObject([{ class: "trigger", loaded: false, reason }]);
    expect(record.steps[2]).toMatchObject({ loads: [{ loaded: false, reason }] });
  }
});

test("top bounds the hits, and a hit that max has no room for is skipped for a shorter one, saying so", async () => {
  const top = await run(["- **search** `otter` top `2` max `90k tokens`"], { topic: "x" });
  expect(top.record.loads.filter(({ loaded }) => loaded)).toHaveLength(2);
  const { model, record } = await run(["- **search** `otter` top `3` max `100 tokens`"], { topic: "x" });
  expect(
    seen(model.calls[0])
      ?.filter((part) => part.startsWith("search"))
      .toSorted(),
  ).toEqual(["search Other otters", "search Short on otters"]);
  const skipped = record.loads.filter(({ loaded }) => !loaded);
  expect(skipped).toMatchObject([
    { title: "Long on otters", score: expect.any(Number), reason: expect.stringContaining("do not fit") },
  ]);
  expect(skipped[0]?.reason).toContain("max 100 tokens");
});

test("at least ends the run when too little is found, counting what fits", async () => {
  const few = await run(["- **search** `otter` top `3` max `100 tokens` at least `3`"], { topic: "x" });
  expect(few.head).toMatchObject({
    status: "failed",
    error: { code: "search_too_few", message: expect.stringContaining("found 2 memos of at least 3") },
  });
  const enough = await run(["- **search** `otter` top `3` max `100 tokens` at least `2`"], { topic: "x" });
  expect(enough.head.status).toBe("suspended");
});

test("zero hits, and a query that is empty, are fine and are recorded", async () => {
  const none = await run(["- **search** `zzyzx` top `3` max `100 tokens`"], { topic: "x" });
  expect(none.record.loads).toMatchObject([{ loaded: false, reason: "nothing was found", ref: "zzyzx" }]);
  const empty = await run(["- **search** `{{payload.kind}}` top `3` max `100 tokens`"], { topic: "x" });
  expect(seen(empty.model.calls[0])).toEqual(["payload payload"]);
  expect(empty.record.loads).toMatchObject([{ loaded: false, reason: "the query is empty" }]);
});

test("a search at a step is made there, with that step's inputs, and no other step sees it", async () => {
  const model = scriptedModel({ draft: ["otter"], revise: ["Done."] });
  const loop = createLoop(engine, { model });
  await loop.importFiles({
    ...NOTES,
    "at.md": stepWorkflow({
      command: "/at",
      inputs,
      loads: ["- **search** `{{steps.draft}}` top `1` max `90k tokens` at `revise`"],
      steps: STEPS,
    }),
  });
  const { runId } = await loop.enqueue("/at", { topic: "x" });
  await loop.settleDown();
  expect(seen(model.calls[0])).toEqual(["payload payload"]);
  expect(seen(model.calls[1])?.[0]).toMatch(/^search .*otters$/);
  const record = await runRecord(loop, (await loop.runs.readHead(runId))!);
  expect(record.steps[2]).toMatchObject({ loads: [] });
  expect(record.steps[3]).toMatchObject({ loads: [{ class: "search", at: "revise", ref: "otter" }] });
});

async function reword(loop: Loop, memoId: string, base: number, body: string) {
  const written = await writeMemo(loop, {
    ownerUid: OWNER,
    memoId: memoId as `memo_${string}`,
    base,
    content: { body },
    writeToken: `reword-${memoId}-${base}`,
    writtenBy: requesterOf(steward),
    sessionId: null,
    runId: null,
  });
  expect(written.outcome).toBe("written");
}

test("a gate is pinned by its version: an edit between two steps is not seen by the second", async () => {
  let loop: Loop | undefined;
  let gateId = "";
  let isReworded = false;
  const model = scriptedModel(() => async () => {
    if (!isReworded) await reword(loop!, gateId, 1, "Be long.");
    isReworded = true;
    return "Said.";
  });
  loop = createLoop(engine, { model });
  const ids = await loop.importFiles({
    "pin-rules.md": "# Pin rules\n\nBe brief.",
    "pin.md": stepWorkflow({ command: "/pin", inputs, loads: ["- **gate** [[Pin rules]]"], steps: STEPS }),
  });
  gateId = ids["pin-rules.md"]!;
  await loop.enqueue("/pin", { topic: "x" });
  await loop.settleDown();
  const gates = model.calls.map(({ parts }) => parts.find(({ kind }) => kind === "gate"));
  expect(gates).toMatchObject([
    { text: expect.stringContaining("Be brief."), contentVersion: 1 },
    { text: expect.stringContaining("Be brief."), contentVersion: 1 },
  ]);
  await loop.enqueue("/pin", { topic: "later" });
  await loop.settleDown();
  expect(model.calls[2]?.parts[0]).toMatchObject({ text: "Be long.", contentVersion: 2 });
});
