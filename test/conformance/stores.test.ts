import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TableName } from "../../infra/topology.ts";
import { requesterOf } from "../../lib/core/principal.ts";
import { createLoopStore } from "../../lib/loops/store.ts";
import { memoHistory, readMemoVersion } from "../../lib/memos/read.ts";
import { createMemoStore } from "../../lib/memos/store.ts";
import { deleteMemo, writeMemo } from "../../lib/memos/write.ts";
import { pendingItem, type NewItem } from "../../lib/queue/item.ts";
import { createQueueStore } from "../../lib/queue/store.ts";
import * as queueWrites from "../../lib/queue/writes.ts";
import { createRunStore } from "../../lib/runs/store.ts";
import * as gateWrites from "../../lib/runs/gate-writes.ts";
import * as runWrites from "../../lib/runs/writes.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import { createSpendStore } from "../../lib/spend/store.ts";
import { testClock } from "../support/clock.ts";
import { agent, AUTO_WORKFLOW, createLoop, PLAIN_WORKFLOW, steward } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { outcomeOf, startTwoEngines } from "./two-engines.ts";

/*
 * The real stores over the embedded engine and over the memory engine: the same calls, the same answers. What passes
 * here may stand in for the embedded engine elsewhere.
 */

let engines: Awaited<ReturnType<typeof startTwoEngines>>;
beforeAll(async () => {
  engines = await startTwoEngines();
});
afterAll(() => engines.stop());

type Doc = DynamoDBDocumentClient;
type Tables = Record<TableName, string>;
let owners = 0;

/** A story told to both engines about an owner of its own; what it noted of each. */
async function notesOf(
  story: (
    doc: Doc,
    tables: Tables,
    owner: string,
    note: (call: () => Promise<unknown>) => Promise<void>,
  ) => Promise<void>,
): Promise<{ embedded: unknown[]; memory: unknown[] }> {
  const owner = `owner${++owners}`;
  const { embedded, memory } = await engines.ask(async (doc, tables) => {
    const notes: unknown[] = [];
    await story(doc, tables, owner, async (call) => void notes.push(await outcomeOf(call)));
    return notes;
  });
  return { embedded: embedded as unknown[], memory: memory as unknown[] };
}

const newItem = (ownerUid: string, dedupeKey: string): NewItem => ({
  ownerUid,
  workflowId: "memo_w",
  dedupeKey,
  payload: '{"n":9007199254740993}',
  payloadHash: "sha256:0",
  landing: {},
  requestedBy: requesterOf(agent),
  sessionId: null,
});

describe("both engines answer the same through", () => {
  test("the queue store: items, the pending list, lanes and their indexes", async () => {
    const { embedded, memory } = await notesOf(async (doc, tables, owner, note) => {
      const queue = createQueueStore(doc, { queue: tables.queue, lanes: tables.lanes });
      const lane = `${owner}#memo_w` as const;
      const items = Array.from({ length: 7 }, (_, n) =>
        pendingItem(newItem(owner, `k${n}`), 1, `t${n}`, 1000 - n),
      );
      for (const item of items) await note(() => queue.putNewItem(item));
      await note(() => queue.putNewItem(items[0]!));
      await note(() => queue.pendingItems(lane, 4));
      await note(() => queue.countPending(lane));
      for (const pendingOnly of [true, false]) {
        let after: Record<string, string> | undefined;
        do {
          const page = await queue.itemsPage(lane, { pendingOnly, limit: 3, after });
          await note(async () => page.items.map((item) => item.dedupeKey));
          after = page.next;
        } while (after);
      }
      await note(() => queue.readLane(lane));
      for (const write of [
        queueWrites.declareLane(lane),
        queueWrites.readyLane(lane),
        queueWrites.takeSlot(await queue.readLane(lane), "run_1", 1, 5),
        queueWrites.takeSlot(await queue.readLane(lane), "run_2", 1, 6),
        queueWrites.clearFull(await queue.readLane(lane), 1),
      ]) {
        await note(() => queue.writeLane(lane, write));
      }
      await note(async () => queue.writeLane(lane, queueWrites.clearFull(await queue.readLane(lane), 1)));
      await note(() => queue.writeLane(lane, queueWrites.freeSlot("run_1", false)));
      await note(() => queue.writeLane(lane, queueWrites.freeSlot("run_1", true)));
      await note(() => queue.writeLane(lane, queueWrites.freeSlot("run_1", true)));
      await note(async () => queue.writeLane(lane, queueWrites.clearEmpty(await queue.readLane(lane))));
      const { itemKey } = items[0]!;
      for (const write of [
        queueWrites.claimItem(2, "run_1", 7),
        queueWrites.claimItem(1, "run_1", 7),
        queueWrites.settleItem(1, "run_1", "failed", 8),
        queueWrites.settleItem(1, "run_1", "done", 9),
        queueWrites.requeueItem(newItem(owner, "k0"), { generation: 1, status: "failed" }, "t", 10),
      ]) {
        await note(() => queue.writeItem(lane, itemKey, write));
        await note(() => queue.readItem(lane, itemKey));
      }
      await note(() => queue.countPending(lane));
    });
    expect(memory).toEqual(embedded);
  });

  test("the run store: every write of a head, its rows, its indexes and their pages", async () => {
    const { embedded, memory } = await notesOf(async (doc, tables, owner, note) => {
      const runs = createRunStore(doc, tables.runs);
      const item = pendingItem(newItem(owner, "k"), 1, "t", 1);
      const idOf = (n: number) => `run_${owner}${n}` as const;
      for (let n = 0; n < 5; n++) await note(() => runs.putHead(runWrites.newHead(item, idOf(n), 100 + n)));
      await note(() => runs.putHead(runWrites.newHead(item, idOf(0), 200)));
      const error = { code: "x", class: "internal", message: "", hint: "", at: 1 } as never;
      const gate = {
        kind: "output" as const,
        holdId: "hold_1" as const,
        stepId: "publish",
        revision: 1,
        sha256: "sha256:1" as const,
        openedAt: 40,
        expiresAt: 90,
      };
      const decision = {
        decisionId: "dec_1",
        verdict: "approve" as const,
        by: "human:ana",
        username: "ana",
        at: 50,
      };
      const hold = { holdId: "hold_1", sha256: "sha256:1", ownerUid: owner };
      const writes = [
        runWrites.lease(0, "lease_1", 10),
        runWrites.lease(0, "lease_2", 11),
        runWrites.heartbeat(1, 12),
        runWrites.heartbeat(1, 11),
        runWrites.checkpoint(1, { step: 2, rows: ["", ""] }, 13),
        gateWrites.openGate(1, gate, 1, 40),
        gateWrites.openGate(1, gate, 1, 40),
        gateWrites.suspend(gate, owner),
        gateWrites.decideHold({ ...hold, sha256: "sha256:2" }, decision),
        gateWrites.decideHold(hold, { ...decision, by: agent.principalId }),
        gateWrites.decideHold(hold, decision),
        gateWrites.decideHold(hold, decision),
        gateWrites.expireHold("hold_1", decision),
        gateWrites.takeBack({ epoch: 1, holdSeq: 1, gate, decision, ownerUid: owner }, "hold_2"),
        gateWrites.remindHold({ ...gate, holdId: "hold_2" }, 65),
        gateWrites.decideHold({ ...hold, holdId: "hold_2" }, decision),
        runWrites.lease(2, "lease_3", 60),
        runWrites.recoverLease({ epoch: 3, heartbeatAt: 60, recoveries: 0 }, 61),
        runWrites.recoverLease({ epoch: 3, heartbeatAt: 60, recoveries: 0 }, 61),
        runWrites.lease(4, "lease_4", 62),
        runWrites.intend(5, { stepId: "publish", revision: 1, sha256: "sha256:1" }, "hold", 63),
        runWrites.cancelRun(5, error, 64),
        runWrites.exhaust({ epoch: 5, heartbeatAt: 63 }, error, 64),
        runWrites.endRun("done", {
          epoch: 5,
          settledAt: 65,
          landing: { memoId: "memo_1", contentVersion: 1 },
        }),
        runWrites.lease(5, "lease_5", 66),
      ];
      for (const write of writes) await note(() => runs.writeHead(idOf(0), write));
      expect((await runs.readHead(idOf(0)))?.status).toBe("done");
      await note(() => runs.writeHead("run_nobody", runWrites.lease(0, "lease_1", 1)));
      await note(() => runs.readHeads([idOf(3), "run_nobody", idOf(0)]));
      for (const text of ["short", "x".repeat(800_000)]) {
        const part = `PROPOSAL#a#1#${text.length}`;
        await note(async () => (await runs.putPart(idOf(1), { part, text, more: [1, { a: null }] })).put);
        await note(async () => (await runs.putPart(idOf(1), { part, text: "other" })).row.text === text);
      }
      await note(async () =>
        (await runs.readParts(idOf(1), "PROPOSAL#")).map((row) => [row.part, row["more"]]),
      );
      await note(async () => (await runs.holdsByDeadline(100)).runIds.filter((id) => id.includes(owner)));
      let start: Record<string, unknown> | undefined;
      do {
        const page = await runs.runsOfOwner(owner, 2, start);
        await note(async () => page);
        start = page.next;
      } while (start);
    });
    expect(memory).toEqual(embedded);
  });

  test("the memo store: versions, compare-and-set, tombstones, chains and changes", async () => {
    const { embedded, memory } = await notesOf(async (doc, tables, ownerUid, note) => {
      const memos = createMemoStore(doc, { memos: tables.memos, control: tables.control });
      const deps = { memos, clock: testClock() };
      const write = (base: number | null, body: string, writeToken: string, more = {}) =>
        writeMemo(deps, {
          ownerUid,
          memoId: "memo_a",
          base,
          content: { title: "A", body, tags: ["t"], ...more },
          writeToken,
          writtenBy: requesterOf(steward),
          sessionId: null,
          runId: null,
          telling: { tags: new Set(["t"]), workflows: true, madeBy: null },
        });
      await note(() => write(null, "one", "w1"));
      await note(() => write(null, "one", "w1"));
      await note(() => write(null, "other", "w2"));
      await note(() => write(1, "two ".repeat(200_000), "w3"));
      await note(() => write(1, "late", "w4"));
      await note(() => write(2, "three", "w5", { tags: [] }));
      await note(() => write(1, "two", "w3"));
      await note(() => memoHistory({ memos }, ownerUid, "memo_a"));
      await note(async () => (await readMemoVersion({ memos }, ownerUid, "memo_a", 2))?.body.length);
      await note(() => memos.changes(ownerUid, 0));
      const head = await memos.head(ownerUid, "memo_a");
      await note(() => memos.markTold(head!));
      await note(() => memos.markTold({ ...head!, writeToken: "w1" }));
      await note(() => deleteMemo(deps, { ownerUid, memoId: "memo_a", base: 3, writeToken: "d1" }));
      await note(() => deleteMemo(deps, { ownerUid, memoId: "memo_a", base: 3, writeToken: "d1" }));
      await note(() => write(null, "again", "w6"));
      await note(() => memos.head(ownerUid, "memo_a"));
      await note(() => memos.libraryVersion(ownerUid));
    });
    expect(memory).toEqual(embedded);
  });

  test("the spend, loop and session stores", async () => {
    const { embedded, memory } = await notesOf(async (doc, tables, owner, note) => {
      const spend = createSpendStore(doc, tables);
      for (const token of ["a", "b", "a"]) {
        await note(() => spend.addOnce(owner, "memo_w", { tokens: 5, microUsd: 2, at: 1, token }));
      }
      await note(() => spend.spentOn(owner, "memo_w", 1));
      const loops = createLoopStore(doc, tables);
      const schedule = {
        sk: "s1",
        owner,
        workflowId: "memo_w",
        expression: "every 5 minutes",
        timeZone: null,
        anchorAt: 0,
        nextAt: 7,
      };
      await note(() => loops.putSchedule(schedule));
      const [row] = await loops.schedulesOf(owner, "memo_w");
      await note(() => loops.moveSchedule(row!, 9));
      await note(() => loops.moveSchedule(row!, 11));
      await note(() => loops.remove({ ...row!, nextAt: 7 }));
      await note(() => loops.schedulesOf(owner, "memo_w"));
      await note(() => loops.remove({ ...row!, nextAt: 9 }));
      await note(() => loops.schedulesOf(owner, "memo_w"));
      const sessions = createSessionStore(doc, tables);
      await note(() => sessions.listOwned(owner, { limit: 2, after: null }));
    });
    expect(memory).toEqual(embedded);
  });
});

describe("a whole run leaves the same rows behind", () => {
  test.each(["/plain", "/auto"])("of %s", async (command) => {
    const { embedded, memory } = await notesOf(async (doc, tables, ownerUid, note) => {
      const loop = createLoop({ doc, tables }, { model: scriptedModel(() => "A draft.") });
      await loop.importFiles({ "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW }, ownerUid);
      const { runId } = await loop.enqueue(
        command,
        { topic: "Same" },
        { dedupeKey: "k" },
        { ...agent, ownerUid },
      );
      await loop.settleDown();
      const held = await loop.runs.readHead(runId);
      if (held?.status === "suspended") {
        const by = { ...steward, ownerUid };
        await loop.decide(held.gate.holdId, held.gate.sha256, "approve", by);
        await loop.settleDown();
      }
      const run = await loop.runs.readHead(runId);
      await note(async () => run);
      await note(() => loop.runs.readParts(runId, ""));
      await note(() =>
        doc.send(
          new GetCommand({
            TableName: tables.queue,
            Key: { lane: `${ownerUid}#${run?.workflowId}`, itemKey: run?.itemKey },
          }),
        ),
      );
      await note(() => loop.queue.readLane(`${ownerUid}#${run!.workflowId}`));
    });
    expect(memory).toEqual(embedded);
    expect(JSON.stringify(memory)).toContain('"status":"done"');
  });
});
