import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { MEMO_TEXT_MAX_BYTES } from "../../lib/memos/memo.ts";
import { AUTO_WORKFLOW, PLAIN_WORKFLOW } from "../support/loop.ts";
import { asSteward, mythos } from "./cli-process.ts";
import {
  clientOf,
  heldDraft,
  problemOf,
  runThatIs,
  type Answer,
  type Client,
  type Enqueued,
  type Hold,
  type RunRecord,
  type ShownMemo,
} from "./client.ts";
import { demoLibrary, importFiles } from "./library.ts";
import { givenHost, OWNER } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stop = async () => {};
let host: Host;
let agent: Client;
let steward: Client;
let ben: Client;
let stranger: Client;

beforeAll(async () => {
  const given = await givenHost([
    { uid: "ben", ownerUid: OWNER },
    { uid: "eve", ownerUid: "stranger" },
  ]);
  ({ host, stop } = given);
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  [ben, stranger] = given.keys.map((key) => clientOf(host, key)) as [Client, Client];
  const once = PLAIN_WORKFLOW.replaceAll("/plain", "/tight").replace("`40k tokens`", "`1 tokens`");
  await importFiles(steward, [
    ...demoLibrary(),
    { path: "plain.md", text: PLAIN_WORKFLOW },
    { path: "auto.md", text: AUTO_WORKFLOW },
    { path: "tight.md", text: once },
  ]);
});
afterAll(() => stop());

const say = (by: Client, { holdId, sha256 }: Hold, body: Record<string, unknown>): Promise<Answer> =>
  by.ask("POST", `/api/holds/${holdId}/decision`, { sha256, ...body });
const holdOf = (holdId: string) => steward.get<Hold>(`/api/holds/${holdId}`);
const openHoldIds = async () =>
  (await steward.all<{ holdId: string }>("/api/holds?limit=100")).map(({ holdId }) => holdId);

/** The hold at which a run waits next. */
async function nextHold(runId: string, after: string): Promise<Hold> {
  return vi.waitFor(
    async () => {
      const { status, holdId } = await agent.get<RunRecord>(`/api/runs/${runId}`);
      if (status !== "suspended" || holdId === null || holdId === after)
        throw new Error(`${status} ${holdId}`);
      return holdOf(holdId);
    },
    { timeout: 40_000, interval: 50 },
  );
}

async function givenMemo(body: string): Promise<ShownMemo> {
  return steward.post<ShownMemo>("/api/memos", { title: `Plan ${crypto.randomUUID()}`, body });
}
async function edit({ memoId, contentVersion }: ShownMemo, body: string): Promise<void> {
  const answer = await steward.ask(
    "PUT",
    `/api/memos/${memoId}`,
    { body },
    { "if-match": `"${contentVersion}"` },
  );
  expect(answer.status).toBe(200);
}
async function heldUpdate(memo: ShownMemo, topic: string) {
  const payload = { topic, targetMemoId: memo.memoId };
  const { runId } = await agent.post<Enqueued>("/api/workflows/plain/items", { payload });
  return { runId, hold: await nextHold(runId, "") };
}

describe("an edited approval", () => {
  test("lands the person's 2 MB byte for byte, and both texts stay with their shas", async () => {
    const { runId, hold } = await heldDraft(agent, "What is a fence?");
    const text = `${"ä".repeat(MEMO_TEXT_MAX_BYTES / 2 - 1)}\n\n`;
    const over = await say(steward, hold, { verdict: "approve_edited", text: `${text}x` });
    expect(problemOf(over)).toMatchObject({
      status: 413,
      code: "body_too_large",
      limit: MEMO_TEXT_MAX_BYTES,
      actual: MEMO_TEXT_MAX_BYTES + 1,
    });
    expect(await holdOf(hold.holdId)).toMatchObject({ open: true, decision: null });
    const decisionId = "dec-edit";
    const answer = await say(steward, hold, { verdict: "approve_edited", text, decisionId });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ guards: [{ guard: "no-secrets", passed: true }] });
    const { landing } = await runThatIs(agent, runId, "done");
    const memo = await agent.get<ShownMemo>(`/api/memos/${String(landing?.memoId)}`);
    expect(memo.body === text).toBe(true);
    const past = await holdOf(hold.holdId);
    expect(past).toMatchObject({ open: false, proposal: { sha256: hold.sha256, text: hold.proposal?.text } });
    expect(past.edited?.text === text).toBe(true);
    expect(past.edited?.sha256).toBe(past.decision?.lands);
    const again = await say(steward, hold, { verdict: "approve_edited", text, decisionId });
    expect([again.status, JSON.parse(again.text).decision]).toEqual([200, JSON.parse(answer.text).decision]);
  });
});

test("O15: changes that were asked for come as a new hold, which names the old one and its reason", async () => {
  const { runId, hold } = await heldDraft(agent, "What does a doorbell carry?");
  const reason = "make it shorter";
  expect((await say(steward, hold, { verdict: "request_changes", reason, decisionId: "dec-1" })).status).toBe(
    200,
  );
  const next = await nextHold(runId, hold.holdId);
  expect(next).toMatchObject({ kind: "output", revision: 2, revises: hold.holdId, revisionsLeft: 0 });
  expect(next.proposal?.text).not.toBe(hold.proposal?.text);
  expect(next.proposal?.text).toContain("written again for the reviewer's reason");
  expect(await holdOf(hold.holdId)).toMatchObject({
    open: false,
    decision: { verdict: "request_changes", reason },
    proposal: { text: hold.proposal?.text },
  });
  const again = await say(steward, hold, { verdict: "request_changes", reason, decisionId: "dec-1" });
  expect(again.status).toBe(200);
  const other = await say(ben, hold, { verdict: "approve" });
  expect(problemOf(other)).toMatchObject({
    status: 409,
    code: "already_decided",
    decision: { decisionId: "dec-1" },
  });
  const spent = await say(steward, next, { verdict: "request_changes", reason });
  expect(problemOf(spent)).toMatchObject({ status: 409, code: "revisions_exhausted", max: 1 });
  expect((await say(steward, next, { verdict: "approve" })).status).toBe(200);
  const record = await runThatIs(agent, runId, "done");
  expect(record.holds.map(({ decision }) => decision?.verdict)).toEqual(["request_changes", "approve"]);
});

test("O37: an edit of a person wins over a landing; the draft waits and is rebased on it from the command line", async () => {
  const memo = await givenMemo("# Plan\n\none\n");
  const { runId, hold } = await heldUpdate(memo, "Rebase");
  await edit(memo, "# Plan\n\none\n\ntwo by a person\n");
  expect((await say(steward, hold, { verdict: "approve" })).status).toBe(200);
  const conflict = await nextHold(runId, hold.holdId);
  expect(conflict).toMatchObject({
    kind: "conflict",
    verdicts: ["rebase", "replace", "keep_both", "reject"],
    conflict: {
      expected: 1,
      actual: 2,
      current: 2,
      base: { contentVersion: 1 },
      theirs: { contentVersion: 2 },
    },
  });
  const env = asSteward(host);
  const shown = await mythos(["holds", "show", conflict.holdId, "--diff"], { env });
  expect(shown.out).toContain("two by a person");
  expect(shown.out).toMatch(/In the memo now \(version 2\)[^]*The draft:[^]*Merged:/);
  const args = [
    "holds",
    "rebase",
    conflict.holdId,
    "--on-version",
    "2",
    "--hash",
    conflict.sha256,
    "--file",
    "-",
  ];
  const rebased = await mythos([...args, "--wait", "--json"], { env, input: "# Plan\n\nsettled\n" });
  expect(rebased).toMatchObject({ code: 0 });
  expect(await agent.get<ShownMemo>(`/api/memos/${memo.memoId}`)).toMatchObject({
    contentVersion: 3,
    body: "# Plan\n\nsettled\n",
    runId,
  });
});

test("a budget hold says what is asked, and the command line ends with 9; allowed once it goes on", async () => {
  const env = asSteward(host);
  const asAgent = { ...env, MYTHOS_KEY: host.keys.agentKey };
  const looped = await mythos(["loop", "tight", "--set", "topic=Tight", "--wait=1m", "--json"], {
    env: asAgent,
  });
  expect(looped.code).toBe(9);
  const run = JSON.parse(looped.out) as RunRecord;
  expect(run).toMatchObject({ status: "suspended", holdKind: "budget" });
  const hold = await holdOf(run.holdId!);
  expect(hold).toMatchObject({
    kind: "budget",
    verdicts: ["allow_once", "cancel"],
    question: { limit: 1, spent: 0 },
  });
  const unread = await mythos(["holds", "allow", hold.holdId], { env });
  expect(unread).toMatchObject({ code: 2 });
  const allowed = await mythos(["holds", "allow", hold.holdId, "--hash", hold.sha256, "--wait", "--json"], {
    env,
  });
  expect(allowed.code).toBe(8);
  const held = await nextHold(run.runId, hold.holdId);
  expect(held.kind).toBe("output");
  const edited = ["holds", "edit", held.holdId, "--hash", held.sha256, "--file", "-", "--wait"];
  expect(await mythos(edited, { env, input: "By hand.\n" })).toMatchObject({ code: 0 });
});

test("a take-back is answered with the new hold, or with why it is too late", async () => {
  const { runId, hold } = await heldDraft(agent, "When is a run taken for dead?");
  const approved = await say(steward, hold, { verdict: "approve" });
  const { decisionId } = JSON.parse(approved.text).decision as { decisionId: string };
  const back = await steward.ask("POST", `/api/holds/${hold.holdId}/take-back`, { decisionId });
  // Whichever was first, the runner or the person: the answer says what is true.
  const wasFirst = back.status === 200;
  const said = JSON.parse(back.text) as { holdId: string; code?: string };
  expect(said.code).toBe(wasFirst ? undefined : "too_late");
  if (!wasFirst) await runThatIs(agent, runId, "done");
  const now = await holdOf(wasFirst ? said.holdId : hold.holdId);
  expect(now).toMatchObject({ open: wasFirst, sha256: hold.sha256 });
  expect((await holdOf(hold.holdId)).takenBack).toBe(wasFirst);
});

test("O11: a cancelled run leaves no card: its hold is closed in the same read, and cannot be approved", async () => {
  const { runId, hold } = await heldDraft(agent, "What is the library version?");
  const before = await openHoldIds();
  expect((await agent.ask("POST", `/api/runs/${runId}/cancel`)).status).toBe(200);
  expect(await holdOf(hold.holdId)).toMatchObject({
    open: false,
    verdicts: [],
    run: { status: "cancelled" },
  });
  expect(await openHoldIds()).toHaveLength(before.length - 1);
  const late = await say(steward, hold, { verdict: "approve" });
  expect(problemOf(late)).toMatchObject({ status: 409, code: "hold_closed", runStatus: "cancelled" });
  expect((await agent.get<RunRecord>(`/api/runs/${runId}`)).landing).toBeNull();
});

test("O02: two rejections of one click reject once", async () => {
  const { runId, hold } = await heldDraft(agent, "Which words mean a lane?");
  const click = () => say(steward, hold, { verdict: "reject", reason: "twice", decisionId: "dec-twice" });
  const answers = await Promise.all([click(), click()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [one, two] = answers.map(({ text }) => JSON.parse(text).decision as unknown);
  expect(one).toEqual(two);
  const record = await runThatIs(agent, runId, "cancelled");
  expect(record.holds).toHaveLength(1);
});

test("F68: who asked cannot decide by any verdict", async () => {
  const { hold } = await heldDraft(steward, "Why may nobody approve their own?");
  for (const body of [
    { verdict: "approve" },
    { verdict: "approve_edited", text: "Mine." },
    { verdict: "request_changes", reason: "x" },
    { verdict: "reject", reason: "x" },
  ]) {
    expect(problemOf(await say(steward, hold, body))).toMatchObject({
      status: 403,
      code: "self_approval_forbidden",
    });
  }
  expect(await holdOf(hold.holdId)).toMatchObject({ open: true, decision: null });
});

test("F65: another owner's hold is an unknown one on every route", async () => {
  const { hold } = await heldDraft(agent, "What is a session for?");
  const unknown = `${hold.holdId.replace(/-h1$/, "")}-h9`;
  const routes = [
    ["GET", "", undefined],
    ["POST", "/decision", { verdict: "approve", sha256: hold.sha256 }],
    ["POST", "/take-back", { decisionId: "dec_x" }],
  ] as const;
  for (const [method, path, body] of routes) {
    const [theirs, none] = await Promise.all(
      [hold.holdId, unknown].map((id) => stranger.ask(method, `/api/holds/${id}${path}`, body)),
    );
    const without = ({ status, text }: Answer, id: string) =>
      [status, text.replaceAll(id, "ID").replace(/"requestId":"[^"]*"/, "")] as const;
    expect(without(theirs!, hold.holdId)).toEqual(without(none!, unknown));
    expect(theirs!.status).toBe(404);
  }
});
