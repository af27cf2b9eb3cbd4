import { afterEach, beforeEach, expect, test } from "vitest";
import { listItems, type ItemPlace } from "../../../lib/queue/list-items.ts";
import type { ItemStatus } from "../../../lib/queue/item.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, PLAIN_WORKFLOW, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
let owner: string;
let workflowIds: string[];
afterEach(() => engine.stop());
beforeEach(async () => {
  engine = await startEngine();
  loop = createLoop(engine, { model: scriptedModel(() => "A draft.") });
  await loop.importFiles({
    "plain.md": PLAIN_WORKFLOW,
    "other.md": PLAIN_WORKFLOW.replace("`/plain`", "`/other`"),
  });
  const items = [];
  for (const topic of ["one", "two", "three", "four", "five"]) {
    items.push(await loop.enqueue("/plain", { topic }));
    loop.clock.advance(1000);
  }
  items.push(await loop.enqueue("/other", { topic: "six" }));
  owner = items[0]!.item.ownerUid;
  workflowIds = [...new Set(items.map(({ item }) => item.workflowId))];
});

async function pages(status: ItemStatus | undefined, limit: number): Promise<string[][]> {
  const all: string[][] = [];
  for (let after: ItemPlace | null = null; ;) {
    const page: Awaited<ReturnType<typeof listItems>> = await listItems(loop, owner, {
      workflowIds,
      status,
      limit,
      after,
    });
    all.push(page.items.map(({ payload }) => payload ?? ""));
    after = page.next;
    if (!after) return all;
  }
}

test("every item is on one page and no page is longer than it may be", async () => {
  for (const limit of [1, 2, 4, 100]) {
    const all = await pages(undefined, limit);
    expect(Math.max(...all.map((page) => page.length))).toBeLessThanOrEqual(limit);
    expect(all.flat()).toHaveLength(6);
    expect(new Set(all.flat()).size).toBe(6);
  }
});

test("pending ones come oldest first in their lane, and claimed ones no more", async () => {
  const plain = (await pages("pending", 2)).flat().filter((payload) => !payload.includes("six"));
  expect(plain.map((payload) => (JSON.parse(payload) as { topic: string }).topic)).toEqual([
    "one",
    "two",
    "three",
    "four",
    "five",
  ]);
  await loop.pass();
  const [pending, claimed] = [(await pages("pending", 3)).flat(), (await pages("claimed", 3)).flat()];
  expect(claimed).not.toEqual([]);
  expect(pending.length + claimed.length).toBe(6);
});

test("another owner's lanes are empty", async () => {
  const page = await listItems(loop, "somebody", { workflowIds, status: undefined, limit: 10, after: null });
  expect(page).toEqual({ items: [], next: null });
});

test("lanes that have nothing to show do not end a page", async () => {
  const lanes = Array.from({ length: 40 }, (_, n) => `memo_0${n}`);
  const wanted = { workflowIds: [...lanes, ...workflowIds], status: undefined, limit: 50, after: null };
  const page = await listItems(loop, owner, wanted);
  expect(page.items).toHaveLength(6);
  expect(page.next).toBe(null);
});
