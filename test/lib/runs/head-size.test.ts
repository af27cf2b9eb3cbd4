import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomIds } from "../../../lib/core/ids.ts";
import { requesterOf } from "../../../lib/core/principal.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import { heartbeat, lease, recoverLease } from "../../../lib/runs/writes.ts";
import { rowBytes } from "../../bench/write-units.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { agent, createLoop, PLAIN_WORKFLOW, steward } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const WORKFLOW = PLAIN_WORKFLOW.replace(
  "- **Destination**",
  "- **On changes requested** `revise` up to `3`\n- **Reviewers** `other`\n- **Destination**",
);

/** Names as long as those of people who sign in somewhere, and as short as those of a laptop. */
const PEOPLE = {
  "long names": {
    ownerUid: "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
    uid: "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
    username: "ana.steward@example.org",
  },
  "short names": { ownerUid: "owner", uid: "ana", username: "ana" },
};

/** A run through all that a head can go through; the largest that it was, and that it was while a runner beats. */
async function largestHead({ ownerUid: OWNER, uid, username }: (typeof PEOPLE)["long names"]) {
  const by = { ...steward, ownerUid: OWNER, uid, principalId: `human:${uid}`, username };
  const asker = { ...agent, ownerUid: OWNER, principalId: `agent:${randomIds("key")}` };
  const usage = { input: 900, cacheRead: 0, cacheWrite: 0, output: 99, estimated: false };
  let whileAsked: () => Promise<void> = async () => undefined;
  const loop = createLoop(engine, {
    model: scriptedModel(() => async () => {
      await whileAsked();
      return { text: "A draft.", usage, costMicroUsd: 1234 };
    }),
    ids: randomIds,
  });
  const { ["plain.md"]: workflowId } = await loop.importFiles({ "plain.md": WORKFLOW }, OWNER);
  expect(workflowId).toBeDefined();
  const memoId = randomIds("memo");
  const write = { ownerUid: OWNER, memoId, writtenBy: requesterOf(by), sessionId: null, runId: null };
  await writeMemo(loop, { ...write, base: null, content: { title: "T", body: "one" }, writeToken: "a" });
  const { runId } = await loop.enqueue("/plain", { topic: "size", targetMemoId: memoId }, {}, asker);
  await loop.pass();
  loop.bells.splice(0);
  let largest = 0;
  let beating = 0;
  const measure = async (): Promise<void> => {
    const Key = { runId, part: "HEAD" };
    const { Item } = await engine.doc.send(new GetCommand({ TableName: engine.tables.runs, Key }));
    largest = Math.max(largest, rowBytes(Item!));
    if (Item!["status"] === "running" && !Item!["intent"]) beating = Math.max(beating, rowBytes(Item!));
  };
  for (let recovery = 1; recovery <= 5; recovery++) {
    const { epoch } = (await loop.runs.readHead(runId))!;
    await loop.runs.writeHead(runId, lease(epoch, randomIds("lease"), loop.clock.now()));
    for (let beat = 0; beat < 100; beat++) {
      loop.clock.advance(30_000);
      await loop.runs.writeHead(runId, heartbeat(epoch + 1, loop.clock.now()));
    }
    await measure();
    await loop.runs.writeHead(runId, recoverLease((await loop.runs.readHead(runId))!, loop.clock.now()));
  }
  const recovered = (await loop.runs.readHead(runId))!;
  loop.bells.push({ v: 1, runId: recovered.runId, epoch: recovered.epoch });
  await loop.deliver();
  const said = async (request: object) => {
    await measure();
    const run = (await loop.runs.readHead(runId))!;
    const { holdId, sha256 } = run.gate!;
    await loop.say(
      holdId,
      { sha256, reason: "because", decisionId: randomIds("dec"), ...request } as never,
      by,
    );
    await measure();
  };
  for (let revision = 1; revision <= 3; revision++) {
    await said({ verdict: "request_changes" });
    // The revision as it is while its model is asked.
    whileAsked = measure;
    await loop.deliver();
    whileAsked = async () => undefined;
  }
  await writeMemo(loop, { ...write, base: 1, content: { body: "two" }, writeToken: "b" });
  await said({ verdict: "approve_edited", text: "Edited." });
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.gate?.kind).toBe("conflict");
  await said({ verdict: "rebase", onVersion: 2, text: "Settled." });
  await loop.deliver();
  await measure();
  const run = await loop.runs.readHead(runId);
  expect(run).toMatchObject({
    status: "done",
    revision: 4,
    recoveries: 5,
    holdSeq: 5,
    landing: { contentVersion: 3 },
  });
  return { largest, beating };
}

// Once an edited text is landing the head names three shas: its few writes until the end may cost two units.
test.each(Object.entries(PEOPLE))(
  "F49: with %s a heartbeat is one write unit after 500 of them, 5 recoveries, 3 revisions, an edit and a conflict",
  async (_names, people) => {
    const { largest, beating } = await largestHead(people);
    expect(beating).toBeGreaterThan(500);
    expect(beating).toBeLessThan(1024);
    expect(largest).toBeLessThan(1200);
  },
);
