import { afterEach, beforeEach, expect, test } from "vitest";
import { MINUTE_MS } from "../../../lib/core/duration.ts";
import { laneKey } from "../../../lib/core/keys.ts";
import { tellingOf, tellOfMemo, tellUntold } from "../../../lib/intake/save-memo.ts";
import { changeMemo, createMemo, type MemoChange, type NewMemo } from "../../../lib/memos/edit.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { deleteMemo } from "../../../lib/memos/write.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { workflowText } from "../../support/workflow-text.ts";

let engine: Engine;
let loop: Loop;
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model: scriptedModel(() => "A text.") });
});
afterEach(() => engine.stop());

const INBOX = [
  "**Invoke** `memo tag:inbox`",
  "**Input** `memoId` memo — the memo",
  "**Input** `title` string? — its title",
];

async function givenListener(parts: Parameters<typeof workflowText>[0] = {}): Promise<string> {
  const ids = await loop.importFiles({ "loop.md": workflowText({ trigger: INBOX, ...parts }) });
  return ids["loop.md"]!;
}

const author = { principal: steward, sessionId: "ses_1" };
const deps = () => ({ ...loop, telling: (uid: string) => tellingOf(loop.tell, uid) });

/** As the HTTP route does it; `dies` is a crash between the write and what follows. */
async function create(memo: Partial<NewMemo>, dies = false): Promise<string> {
  const { memoId } = await createMemo(deps(), author, { title: "Note", body: "Text.", ...memo });
  if (!dies) await tellOfMemo(loop.tell, OWNER, memoId);
  return memoId;
}
async function change(memoId: string, content: MemoChange, dies = false): Promise<void> {
  const base = (await readMemo(loop, OWNER, memoId))!.contentVersion;
  await changeMemo(deps(), author, { memoId, base }, content);
  if (!dies) await tellOfMemo(loop.tell, OWNER, memoId);
}

const itemsOf = (workflowId: string) => loop.queue.pendingItems(laneKey(OWNER, workflowId), 100);
const keysOf = async (workflowId: string) => (await itemsOf(workflowId)).map(({ dedupeKey }) => dedupeKey);
const untold = () => loop.memos.untoldMemos(10);

/** Ticks of recover until nothing is untold: the slow repairs take turns by chance. */
async function untilTold(): Promise<void> {
  for (let tick = 0; tick < 40 && (await untold()).length > 0; tick++) {
    loop.clock.advance(5 * MINUTE_MS);
    await loop.recover();
  }
}

test("a new memo with the tag starts the workflow with what the tag fills in, in the name of its writer", async () => {
  const workflowId = await givenListener();
  const memoId = await create({ title: "Call back", tags: ["inbox", "phone"] });
  const [item] = await itemsOf(workflowId);
  expect(item).toMatchObject({
    dedupeKey: `${memoId}#inbox#1`,
    payload: JSON.stringify({ memoId, title: "Call back", tags: ["inbox", "phone"] }),
    sessionId: "ses_1",
    requestedBy: { kind: "loop", uid: steward.uid, username: steward.username },
  });
  // A person may decide what their own note has started.
  expect(item?.requestedBy.principalId).not.toBe(steward.principalId);
  expect(await untold()).toEqual([]);
});

test("only a tag that is gained counts: not a kept one, not an edit, again after it was taken away", async () => {
  const workflowId = await givenListener();
  const memoId = await create({ tags: ["other"] });
  expect(await keysOf(workflowId)).toEqual([]);
  await change(memoId, { tags: ["other", "inbox"] });
  await change(memoId, { body: "Edited." });
  await change(memoId, { tags: ["inbox"] });
  expect(await keysOf(workflowId)).toEqual([`${memoId}#inbox#2`]);
  await change(memoId, { tags: [] });
  loop.clock.advance(1);
  await change(memoId, { tags: ["inbox"] });
  expect(await keysOf(workflowId)).toEqual([`${memoId}#inbox#2`, `${memoId}#inbox#6`]);
});

test("a tag that nobody listens to leaves nothing to tell", async () => {
  await givenListener();
  engine.resetCounts();
  await create({ tags: ["unheard"] }, true);
  expect(await untold()).toEqual([]);
  // The version's row, the library's number, the head.
  expect(engine.counts()).toMatchObject({ PutItem: 2, UpdateItem: 1 });
});

test.each(["paused", "draft"])("a workflow that is %s does not listen", async (status) => {
  const workflowId = await givenListener({ status });
  await create({ tags: ["inbox"] });
  expect(await itemsOf(workflowId)).toEqual([]);
});

test("what a crash left untold is told by recover, once", async () => {
  const workflowId = await givenListener();
  const memoId = await create({ tags: ["inbox"] }, true);
  expect(await itemsOf(workflowId)).toEqual([]);
  expect(await untold()).toEqual([{ ownerUid: OWNER, memoId }]);
  await untilTold();
  expect(await keysOf(workflowId)).toEqual([`${memoId}#inbox#1`]);
  expect(await untold()).toEqual([]);
});

test("a tick of recover with nothing untold writes nothing", async () => {
  await givenListener();
  engine.resetCounts();
  for (let tick = 0; tick < 12; tick++) {
    await loop.recover();
    loop.clock.advance(5 * MINUTE_MS);
  }
  expect(Object.keys(engine.counts()).filter((name) => !/^(Query|GetItem)$/.test(name))).toEqual([]);
});

test("a crash before the mark is cleared tells again, which is the same item", async () => {
  const workflowId = await givenListener();
  const memoId = await create({ tags: ["inbox"] }, true);
  const head = await loop.memos.head(OWNER, memoId);
  await tellOfMemo(loop.tell, OWNER, memoId);
  await loop.memos.moveHead({ ...head!, contentVersion: 1 }, 1);
  await tellOfMemo(loop.tell, OWNER, memoId);
  expect(await keysOf(workflowId)).toEqual([`${memoId}#inbox#1`]);
});

test("a write over an untold version takes over what it had to tell", async () => {
  const workflowId = await givenListener();
  const memoId = await create({ tags: ["inbox"] }, true);
  await change(memoId, { body: "Edited before anybody was told." });
  expect(await keysOf(workflowId)).toEqual([`${memoId}#inbox#1`]);
});

test("of a memo that is deleted nobody is told any more", async () => {
  const workflowId = await givenListener();
  const memoId = await create({ tags: ["inbox"] }, true);
  await deleteMemo(loop, { ownerUid: OWNER, memoId: memoId as "memo_x", base: 1, writeToken: "w" });
  expect(await untold()).toEqual([]);
  expect(await itemsOf(workflowId)).toEqual([]);
});

test("an import fires like a person's write, and again only where the tag is new", async () => {
  const workflowId = await givenListener();
  const file = (tags: string, text: string) => `---\ntags: [${tags}]\n---\n# Note\n${text}\n`;
  await loop.importFiles({ "a.md": file("inbox", "one"), "b.md": file("other", "two") });
  await loop.importFiles({ "a.md": file("inbox", "edited"), "b.md": file("inbox", "two") });
  expect(await keysOf(workflowId)).toHaveLength(2);
});

test("a landing starts the workflows that listen, except the one that made it", async () => {
  const maker = workflowText({
    command: "/maker",
    trigger: ["**Invoke** `queue`, `memo tag:done`", "**Input** `memoId` memo? — another's"],
    policy: ["**Tags** `done`"],
  });
  const ids = await loop.importFiles({
    "maker.md": maker,
    "next.md": workflowText({
      command: "/next",
      trigger: ["**Invoke** `memo tag:done`"],
      policy: ["**Tags** `filed`"],
    }),
  });
  await loop.enqueue("/maker", {});
  await loop.pass();
  await loop.deliver();
  expect(await itemsOf(ids["maker.md"]!)).toEqual([]);
  const [item] = await itemsOf(ids["next.md"]!);
  expect(item?.dedupeKey).toMatch(/^memo_.*#done#1$/);
  await loop.settleDown();
  expect(await untold()).toEqual([]);
});

test("a landing whose runner died before it told is told by recover", async () => {
  const ids = await loop.importFiles({
    "maker.md": workflowText({ command: "/maker", policy: ["**Tags** `done`"] }),
    "next.md": workflowText({ command: "/next", trigger: ["**Invoke** `memo tag:done`"] }),
  });
  const { runId } = await loop.enqueue("/maker", {});
  const markTold = loop.tell.memos.markTold;
  const listeners = loop.tell.listeners.listeners;
  loop.tell.listeners.listeners = async () => {
    throw new Error("the process is gone");
  };
  await loop.pass();
  await expect(loop.deliver()).rejects.toThrow("the process is gone");
  loop.tell.listeners.listeners = listeners;
  loop.tell.memos.markTold = markTold;
  loop.clock.advance(11 * MINUTE_MS);
  await loop.recover();
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.status).toBe("done");
  expect(await keysOf(ids["next.md"]!)).toHaveLength(1);
});

test("a workflow that asks for more than a tag can give is passed over, and the others are told", async () => {
  const ids = await loop.importFiles({
    "greedy.md": workflowText({
      command: "/greedy",
      trigger: ["**Invoke** `memo tag:inbox`", "**Input** `colour` string — no tag gives it"],
    }),
    "loop.md": workflowText({ trigger: INBOX }),
  });
  await create({ tags: ["inbox"] });
  expect(await itemsOf(ids["greedy.md"]!)).toEqual([]);
  expect(await itemsOf(ids["loop.md"]!)).toHaveLength(1);
  expect(await untold()).toEqual([]);
});

test("a workflow whose save died before its schedules were written gets them from recover", async () => {
  const body = workflowText({ command: "/late", trigger: ["**Invoke** `schedule rate(1 hour)`"] });
  const memoId = await create({ title: "late", body, memoType: "workflow" }, true);
  expect(await loop.loops.schedulesOf(OWNER, memoId)).toEqual([]);
  await untilTold();
  expect(await loop.loops.schedulesOf(OWNER, memoId)).toHaveLength(1);
  expect(await untold()).toEqual([]);
  await change(memoId, { memoType: "note" });
  expect(await loop.loops.schedulesOf(OWNER, memoId)).toEqual([]);
});

test("a memo that cannot be told of stays untold, and keeps nothing from those behind it", async () => {
  const workflowId = await givenListener();
  const stuck = await create({ title: "Stuck", tags: ["inbox"] }, true);
  const behind = await create({ title: "Behind", tags: ["inbox"] }, true);
  const memos = {
    ...loop.tell.memos,
    head: async (ownerUid: string, memoId: string) => {
      if (memoId === stuck) throw new Error("a piece of it is missing");
      return loop.tell.memos.head(ownerUid, memoId);
    },
  };
  await expect(tellUntold({ ...loop.tell, memos })).rejects.toThrow("a piece of it is missing");
  expect(await keysOf(workflowId)).toEqual([`${behind}#inbox#1`]);
  expect((await untold()).map(({ memoId }) => memoId)).toEqual([stuck]);
});
