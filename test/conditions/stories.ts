import { requesterOf } from "../../lib/core/principal.ts";
import { readMemo } from "../../lib/memos/read.ts";
import { createMemoStore } from "../../lib/memos/store.ts";
import { deleteMemo, writeMemo, type MemoWrite } from "../../lib/memos/write.ts";
import { createQueueStore } from "../../lib/queue/store.ts";
import { createRunStore } from "../../lib/runs/store.ts";
import { newHead } from "../../lib/runs/writes.ts";
import type { Around } from "../interleavings/world.ts";
import { testClock } from "../support/clock.ts";
import { OWNER, steward } from "../support/loop.ts";
import { createMemoryEngine } from "../support/memory/engine.ts";
import { LATE_HEADS, type LateWrite } from "./late-heads.ts";
import { ITEM, LANE, LATE_ITEMS, LATE_LANES, PENDING } from "./late-lanes.ts";

/** What goes wrong in a story, or undefined. */
export type Story = (around: Around) => Promise<string | undefined>;

const storesOf = ({ rewrite, wrap = (store) => store }: Around) => {
  const { doc, tables } = createMemoryEngine(rewrite ? { rewrite } : {});
  return {
    queue: wrap(createQueueStore(doc, tables)),
    runs: wrap(createRunStore(doc, tables.runs)),
    memos: createMemoStore(doc, tables),
  };
};

/** The writes before it must be made, and the late one refused. */
async function isRefused(
  { because, before, late }: LateWrite,
  write: (write: LateWrite["late"]) => Promise<unknown>,
): Promise<string | undefined> {
  for (const earlier of before) {
    if (!(await write(earlier)))
      return `${earlier.name} was refused before ${late.name} came late: ${because}`;
  }
  return (await write(late)) ? `${late.name} was made although ${because}` : undefined;
}

async function firstOf<T>(all: readonly T[], fault: (one: T) => Promise<string | undefined>) {
  for (const one of all) {
    const found = await fault(one);
    if (found) return found;
  }
  return undefined;
}

export const STORIES: Record<string, Story> = {
  "a late write of a head": (around) =>
    firstOf(LATE_HEADS, async (story) => {
      const { runs } = storesOf(around);
      await runs.putHead(newHead(PENDING, "run_1", 0));
      return isRefused(story, (write) => runs.writeHead("run_1", write));
    }),
  "a late write of a lane": (around) =>
    firstOf(LATE_LANES, async (story) => {
      const { queue } = storesOf(around);
      return isRefused(story, (write) => queue.writeLane(LANE, write));
    }),
  "a late write of an item": (around) =>
    firstOf(LATE_ITEMS, async (story) => {
      const { queue } = storesOf(around);
      await queue.putNewItem(PENDING);
      return isRefused(story, (write) => queue.writeItem(LANE, PENDING.itemKey, write));
    }),
  "a memo that somebody else writes": async (around) => {
    const { memos } = storesOf(around);
    const deps = { memos, clock: testClock() };
    const write = (base: number | null, body: string, writeToken: string): MemoWrite => ({
      ownerUid: OWNER,
      memoId: "memo_a",
      base,
      content: { title: "A", body },
      writeToken,
      writtenBy: requesterOf(steward),
      sessionId: null,
      runId: null,
    });
    await writeMemo(deps, write(null, "one", "w1"));
    const first = await memos.head(OWNER, "memo_a");
    if (!first) return "a memo was written and is not there";
    if (await memos.moveHead({ ...first, title: "B" }, null)) return "a memo that is there was made anew";
    await writeMemo(deps, write(1, "two", "w2"));
    if (await memos.moveHead({ ...first, contentVersion: 2 }, 1)) return "a version was written over";
    const version = (await readMemo(deps, OWNER, "memo_a"))!;
    if (await memos.putVersion({ ...version, body: "other" }, null)) return "a version's bytes were replaced";
    await deleteMemo(deps, { ownerUid: OWNER, memoId: "memo_a", base: 2, writeToken: "d" });
    if (await memos.moveHead({ ...first, contentVersion: 4 }, 3)) return "a deleted memo came back";
    return undefined;
  },
  "a row that is put twice": async (around) => {
    const { queue, runs } = storesOf(around);
    await queue.putNewItem(PENDING);
    if (await queue.putNewItem({ ...PENDING, payload: '{"other":1}' }))
      return `${ITEM.dedupeKey} was put twice`;
    const head = newHead(PENDING, "run_1", 0);
    if (await runs.writeHead("run_1", { name: "given", set: { a: 1 }, when: [] }))
      return "a head out of nothing";
    await runs.putHead(head);
    if (await runs.putHead(head)) return "a head was put twice";
    for (const part of [
      "MANIFEST",
      "STEP#02#R1#E1",
      "PROPOSAL#a#1#x",
      "REASON#a#b",
      "DECISION#h",
      "QUESTION#x",
      "CONFLICT#h",
    ]) {
      await runs.putPart("run_1", { part, text: "first" });
      const { put, row } = await runs.putPart("run_1", { part, text: "second" });
      if (put || row.text !== "first") return `${part} was put twice`;
    }
    return undefined;
  },
};
