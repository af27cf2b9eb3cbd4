import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { sqsEvent } from "../../infra/local/sqs-event.ts";
import {
  clientOf,
  heldDraft,
  problemOf,
  runThatIs,
  type Answer,
  type Client,
  type Decided,
  type Hold,
  type MemoEntry,
  type RunRecord,
  type ShownItem,
  type ShownMemo,
} from "./client.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { givenHost, OWNER } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stop = async () => {};
let host: Host;
let agent: Client;
let steward: Client;
/** People who decide for the same owner, each with a key of their own. */
let stewards: Client[];

beforeAll(async () => {
  const people = Array.from({ length: 20 }, (_, n) => ({ uid: `steward-${n + 1}`, ownerUid: OWNER }));
  const given = await givenHost(people);
  ({ host, stop } = given);
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  stewards = given.keys.map((key) => clientOf(host, key));
  await importFiles(steward, demoLibrary());
});
afterAll(() => stop());

const decide = (by: Client, { holdId }: Hold, body: Record<string, unknown>): Promise<Answer> =>
  by.ask("POST", `/api/holds/${holdId}/decision`, body);
const approve = (by: Client, hold: Hold, decisionId?: string) =>
  decide(by, hold, { verdict: "approve", sha256: hold.sha256, ...(decisionId && { decisionId }) });

const decidedOf = (answer: Answer): Decided => JSON.parse(answer.text) as Decided;
const targetOf = ({ proposal }: Hold): string => proposal?.target.memoId ?? "none";

/** Memos that runs have landed under a title. */
async function landedAs(title: string): Promise<MemoEntry[]> {
  const landed = await agent.all<MemoEntry>("/api/memos?tag=loop/draft-memo");
  return landed.filter((memo) => memo.title === title);
}

async function expectOneLanding(runId: string, hold: Hold, topic: string): Promise<void> {
  const { landing } = await runThatIs(agent, runId, "done");
  expect(landing).toEqual({ memoId: targetOf(hold), contentVersion: 1 });
  expect(await landedAs(topic)).toMatchObject([{ memoId: targetOf(hold), contentVersion: 1 }]);
  const memo = await agent.get<ShownMemo>(`/api/memos/${targetOf(hold)}`);
  expect(memo).toMatchObject({ contentVersion: 1, body: hold.proposal?.text, runId });
}

describe("20 approvals of one hold at the same time", () => {
  test.each([
    {
      whose: "one key",
      topic: "What is a doorbell, and what is it not?",
      by: () => stewards.map(() => steward),
    },
    {
      whose: "20 keys of 20 people",
      topic: "What is a lane, and how wide is it?",
      by: () => stewards,
    },
  ])("with $whose: one wins, 19 are told the winning decision, one memo", async ({ topic, by }) => {
    const { runId, hold } = await heldDraft(agent, topic);
    const answers = await Promise.all(by().map((person) => approve(person, hold)));
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status !== 200);
    expect([won.length, lost.length]).toEqual([1, 19]);
    const { decision } = decidedOf(won[0]!);
    expect(decision).toMatchObject({ verdict: "approve", by: expect.stringMatching(/^human:/) });
    for (const answer of lost) {
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(problemOf(answer)).toMatchObject({ status: 409, code: "already_decided", decision });
    }
    await expectOneLanding(runId, hold, topic);
    const { hold: after } = await agent.get<RunRecord>(`/api/runs/${runId}`);
    expect(after?.decision).toMatchObject(decision);
  });

  test("with one decisionId of one person: all are told the same decision, one memo", async () => {
    const topic = "How does compare and set keep an edit?";
    const { runId, hold } = await heldDraft(agent, topic);
    const answers = await Promise.all(stewards.map(() => approve(steward, hold, "dec-once")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const decisions = answers.map((answer) => decidedOf(answer).decision);
    expect(decisions).toEqual(decisions.map(() => decisions[0]));
    await expectOneLanding(runId, hold, topic);
    const late = await approve(steward, hold, "dec-once");
    expect(late.status).toBe(200);
    expect(decidedOf(late)).toMatchObject({ decision: decisions[0], run: { status: "done" } });
  });
});

test("an agent's key cannot decide, and neither can the person who asked; another one can", async () => {
  const topic = "Which words of the glossary does a reviewer need?";
  const { runId, hold } = await heldDraft(steward, topic);
  const byAgent = await approve(agent, hold);
  expect(problemOf(byAgent)).toMatchObject({ status: 403, code: "scope_missing" });
  const byRequester = await approve(steward, hold);
  expect(problemOf(byRequester)).toMatchObject({ status: 403, code: "self_approval_forbidden" });
  expect(byRequester.status).toBe(403);
  expect(await steward.get<Hold>(`/api/holds/${hold.holdId}`)).toMatchObject({ open: true, decision: null });

  expect((await approve(stewards[0]!, hold)).status).toBe(200);
  await expectOneLanding(runId, hold, topic);
});

test("an approval of other bytes than those shown decides nothing", async () => {
  const { hold } = await heldDraft(agent, "Why are drafts held for a person?");
  const other = `sha256:${"0".repeat(64)}`;
  const answer = await decide(steward, hold, { verdict: "approve", sha256: other });
  expect(problemOf(answer)).toMatchObject({ status: 409, code: "stale_proposal", current: hold.sha256 });
  expect(await steward.get<Hold>(`/api/holds/${hold.holdId}`)).toMatchObject({ open: true, decision: null });
});

describe("a rejected hold", () => {
  const topic = "What does a weekly digest have in it?";
  let rejected: { runId: string; itemId: string; hold: Hold };
  beforeAll(async () => {
    rejected = await heldDraft(agent, topic);
    const { sha256 } = rejected.hold;
    await decide(steward, rejected.hold, { verdict: "reject", sha256, reason: "the question was wrong" });
  });

  test("ends its run as cancelled, settles the item and makes no memo", async () => {
    const { runId, itemId, hold } = rejected;
    const run = await runThatIs(agent, runId, "cancelled");
    expect(run).toMatchObject({
      landing: null,
      hold: { decision: { verdict: "reject", by: `human:${OWNER}`, reason: "the question was wrong" } },
      proposal: { sha256: hold.sha256 },
    });
    expect(await agent.get<ShownItem>(`/api/items/${itemId}`)).toMatchObject({ status: "cancelled", runId });
    const holds = await agent.all<Hold>("/api/holds?limit=100");
    expect(holds.map(({ holdId }) => holdId)).not.toContain(hold.holdId);
    expect((await agent.ask("GET", `/api/memos/${targetOf(hold)}`)).status).toBe(404);
  });

  test("stays so when it is approved, when rounds pass and when its old doorbells ring again", async () => {
    const { runId, hold } = rejected;
    const before = await runThatIs(agent, runId, "cancelled");
    expect(problemOf(await approve(stewards[0]!, hold))).toMatchObject({
      status: 409,
      code: "already_decided",
      decision: { verdict: "reject" },
    });
    for (const round of ["schedulePass", "scheduleResume", "scheduleRecover"]) {
      expect(await host.invoke(round, {})).toMatchObject({ ok: true });
    }
    for (const epoch of Array.from({ length: before.epoch + 1 }, (_, n) => n)) {
      const rung = await host.invoke("queueRun", doorbellOf(runId, epoch));
      expect(rung).toEqual({ ok: true, payload: JSON.stringify({ batchItemFailures: [] }) });
    }
    expect(await agent.get<RunRecord>(`/api/runs/${runId}`)).toEqual(before);
    expect((await agent.ask("GET", `/api/memos/${targetOf(hold)}`)).status).toBe(404);
    expect(await landedAs(topic)).toEqual([]);
  });
});

/** A doorbell as the queue hands it to the runner. */
function doorbellOf(runId: string, epoch: number) {
  const message = {
    MessageId: `bell-${epoch}`,
    ReceiptHandle: `bell-${epoch}`,
    Body: JSON.stringify({ v: 1, runId, epoch }),
    Attributes: { ApproximateReceiveCount: "1" },
  };
  return sqsEvent([message], { name: "run", region: "us-east-1" });
}
