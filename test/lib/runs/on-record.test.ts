import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FUNCTIONS, type FunctionDeclaration } from "../../../infra/topology.ts";
import type { AuditEntry } from "../../../lib/audit/entry.ts";
import { DAY_MS } from "../../../lib/core/duration.ts";
import type { Principal } from "../../../lib/core/principal.ts";
import { readAudit } from "../../../lib/runs/audit-view.ts";
import { cancel, cancelItem } from "../../../lib/runs/cancel.ts";
import { fork } from "../../../lib/runs/fork.ts";
import { decideOnRecord, noteDenied, takeBackOnRecord } from "../../../lib/runs/on-record.ts";
import { requeueOf, rerun } from "../../../lib/runs/rerun.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { killable } from "../../support/kill-switch.ts";
import { agent, createLoop, OWNER, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

vi.setConfig({ testTimeout: 60_000 });

const DRAFT = "A draft that nobody may find in the record.";
const REASON = "a reason that stands in its own row alone";

/** Every command that is sent to the ledger, by whoever sends it. */
const toLedger: { name: string; input: Record<string, unknown> }[] = [];
function watched(doc: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = (command: { input: Record<string, unknown> }) => {
    if (command.input["TableName"] === "ledger") {
      toLedger.push({ name: command.constructor.name, input: command.input });
    }
    return doc.send(command as never);
  };
  return new Proxy(doc, {
    get: (target, key) => (key === "send" ? send : (Reflect.get(target, key) as unknown)),
  });
}

let engine: Engine;
let loop: Loop;
beforeEach(async () => {
  toLedger.splice(0);
  engine = await startEngine();
  loop = createLoop({ ...engine, doc: watched(engine.doc) }, { model: scriptedModel(() => DRAFT) });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
});
afterEach(() => engine.stop());

const SESSION = "ses_1";
const asking = (principal: Principal = steward) => ({ principal, sessionId: SESSION });

async function onRecord(ownerUid = OWNER) {
  const page = { since: 0, limit: 100, after: null };
  const { items } = await readAudit({ audits: loop.audits, runs: loop.runs }, ownerUid, page);
  return items.toReversed() as (AuditEntry & { outcome?: string; runStatus?: string | null })[];
}

const code = async (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => "done",
    (error: { code?: string }) => error.code,
  );

describe("a decision", () => {
  test("is on record with who, what and in which session, and with neither its text nor its reason", async () => {
    const { runId, run, holdId, sha256 } = await loop.givenHeldRun();
    const request = { verdict: "reject", sha256, reason: REASON } as const;
    const { decision } = await decideOnRecord(loop.stewardDeps, holdId, asking(), request);
    expect(await onRecord()).toEqual([
      {
        act: "decision_asked",
        at: decision.at,
        by: "human:ana",
        username: "ana",
        keyId: "key_ana",
        sessionId: SESSION,
        stream: undefined,
        holdId,
        runId,
        workflowId: run.workflowId,
        verdict: "reject",
        sha256,
        decisionId: decision.decisionId,
        hasReason: true,
        outcome: "stands",
        runStatus: "suspended",
      },
    ]);
    const rows = JSON.stringify(toLedger);
    expect(rows).not.toContain(REASON);
    expect(rows).not.toContain(DRAFT);
  });

  test("is there before it is written, says so, and is the same row when it is asked for again later", async () => {
    const { holdId, sha256 } = await loop.givenHeldRun();
    const request = { verdict: "approve", sha256, decisionId: "dec-mine" } as const;
    const { doc, writes } = killable(engine.doc, { write: 1, when: "after" });
    const dying = createLoop({ ...engine, doc }, { model: scriptedModel({}), clock: loop.clock });
    await expect(decideOnRecord(dying.stewardDeps, holdId, asking(), request)).rejects.toThrow(/killed/i);
    expect(writes).toEqual(["ledger put", "ledger put"]);
    expect(await onRecord()).toMatchObject([
      { act: "decision_asked", outcome: "lost", runStatus: "suspended" },
    ]);

    const [first] = await onRecord();
    loop.clock.advance(DAY_MS);
    for (let time = 0; time < 3; time++) {
      await decideOnRecord(loop.stewardDeps, holdId, { ...asking(), sessionId: `ses_${time}` }, request);
      loop.clock.advance(1000);
    }
    expect(await onRecord()).toEqual([{ ...first, outcome: "stands" }]);
  });

  test("of two stewards: the one that is lost says what stood in its way", async () => {
    const { holdId, sha256 } = await loop.givenHeldRun();
    const bo = { ...steward, principalId: "human:bo", username: "bo", uid: "bo", keyId: "key_bo" };
    await loop.decide(holdId, sha256, "approve");
    loop.clock.advance(1);
    expect(await code(loop.decide(holdId, sha256, "reject", bo))).toBe("already_decided");
    expect(await onRecord()).toMatchObject([
      { act: "decision_asked", by: "human:ana", outcome: "stands" },
      { act: "decision_denied", by: "human:bo", verdict: "reject", code: "already_decided" },
    ]);
  });

  test("O02: a double click on reject is one rejection, one cancelled run and one decision that stands", async () => {
    const { runId, holdId, sha256 } = await loop.givenHeldRun();
    const click = () => loop.decide(holdId, sha256, "reject", steward, REASON);
    const answers = await Promise.all([code(click()), code(click())]);
    expect(answers.toSorted()).toEqual(["already_decided", "done"]);
    await loop.resume();
    await loop.resume();
    expect(await loop.runs.readHead(runId)).toMatchObject({ status: "cancelled" });
    const rows = await onRecord();
    expect(rows.filter(({ outcome }) => outcome === "stands")).toMatchObject([{ verdict: "reject", holdId }]);
    expect(rows.filter(({ code: why }) => why === "already_decided")).toHaveLength(1);
    const told = await loop.notices.list(OWNER, { state: "all", limit: 10, after: null });
    expect(told.items).toEqual([]);
  });

  test("that is taken back is told from one that stands", async () => {
    const { holdId, sha256 } = await loop.givenHeldRun();
    const { decision } = await loop.decide(holdId, sha256, "approve");
    loop.clock.advance(1000);
    const back = await takeBackOnRecord(loop.stewardDeps, holdId, asking(), decision.decisionId);
    loop.clock.advance(1000);
    await loop.decide(back.holdId, sha256, "reject");
    expect(await onRecord()).toMatchObject([
      { act: "decision_asked", verdict: "approve", outcome: "taken_back" },
      { act: "decision_taken_back", holdId, decisionId: decision.decisionId },
      { act: "decision_asked", verdict: "reject", holdId: back.holdId, outcome: "stands" },
    ]);
  });
});

describe("a refusal is on record with its code", () => {
  test.each([
    {
      name: "the requester",
      by: { ...agent, kind: "human", scopes: steward.scopes },
      is: "self_approval_forbidden",
    },
    {
      name: "an agent with every scope",
      by: { ...agent, scopes: steward.scopes },
      is: "decider_not_allowed",
    },
  ] as const)("$name: $is", async ({ by, is }) => {
    const { holdId, runId, sha256 } = await loop.givenHeldRun();
    expect(await code(loop.decide(holdId, sha256, "approve", by))).toBe(is);
    expect(await onRecord()).toMatchObject([
      { act: "decision_denied", by: by.principalId, holdId, runId, verdict: "approve", sha256, code: is },
    ]);
  });

  test("stale bytes, somebody who is no reviewer, and a key without the scope", async () => {
    const reviewed = PLAIN_WORKFLOW.replaceAll("/plain", "/named").replace(
      "- **Destination**",
      "- **Reviewers** `ben`\n- **Destination**",
    );
    await loop.importFiles({ "named.md": reviewed });
    const { holdId, sha256 } = await loop.givenHeldRun("/named");
    const ben = { ...steward, principalId: "human:ben", uid: "ben" };
    expect(await code(loop.decide(holdId, sha256, "approve"))).toBe("decider_not_allowed");
    loop.clock.advance(1);
    expect(await code(loop.decide(holdId, `sha256:${"0".repeat(64)}`, "approve", ben))).toBe(
      "stale_proposal",
    );
    loop.clock.advance(1);
    await noteDenied(loop, holdId, asking(agent));
    const rows = await onRecord();
    expect(rows.map((row) => row.code)).toEqual(["decider_not_allowed", "stale_proposal", "scope_missing"]);
    expect(rows.every(({ act }) => act === "decision_denied")).toBe(true);
  });

  test("what names nothing of this owner is no act and leaves nothing, with either owner", async () => {
    const { holdId, sha256 } = await loop.givenHeldRun();
    const eve = { ...steward, principalId: "human:eve", ownerUid: "stranger" };
    expect(await code(loop.decide(holdId, sha256, "approve", eve))).toBe("hold_not_found");
    expect(await code(loop.decide("hold_x", sha256, "approve"))).toBe("hold_not_found");
    expect([await onRecord(), await onRecord("stranger")]).toEqual([[], []]);
    expect(toLedger.filter(({ name }) => name === "PutCommand")).toEqual([]);
  });
});

test("cancelling, requeueing, rerunning and forking are on record once, however often they are asked for", async () => {
  const acts = async () => (await onRecord()).map(({ act }) => act);
  const { item } = await loop.enqueue("/plain", { topic: "withdrawn" });
  await cancelItem(loop, item.itemId, agent, SESSION);
  await cancelItem(loop, item.itemId, agent, SESSION);
  expect(await acts()).toEqual(["item_cancelled"]);
  loop.clock.advance(1000);
  await requeueOf(loop, item.itemId, asking(agent));
  await requeueOf(loop, item.itemId, asking(agent));
  expect(await acts()).toEqual(["item_cancelled", "item_requeued"]);

  loop.clock.advance(1000);
  const { runId, holdId } = await loop.givenHeldRun("/plain", { topic: "cancelled" });
  await cancel(loop, runId, steward, SESSION);
  await cancel(loop, runId, steward, SESSION);
  loop.clock.advance(1000);
  await rerun(loop, runId, asking(agent));
  await rerun(loop, runId, asking(agent));
  loop.clock.advance(1000);
  const ended = await loop.givenHeldRun("/plain", { topic: "forked" });
  await cancel(loop, ended.runId, steward, SESSION);
  loop.clock.advance(1000);
  await fork(loop, ended.runId, "publish", asking(agent));
  expect((await onRecord()).slice(2)).toMatchObject([
    { act: "run_cancelled", by: "human:ana", runId, holdId, sessionId: SESSION },
    { act: "run_rerun", by: "agent:key_agent", runId },
    { act: "run_cancelled", runId: ended.runId },
    { act: "run_forked", runId: ended.runId, fromStep: "publish" },
  ]);
});

test("a page goes on where the last one ended, and begins where it is told to", async () => {
  const topics = ["a", "b", "c", "d", "e"];
  for (const topic of topics) {
    const { item } = await loop.enqueue("/plain", { topic });
    await cancelItem(loop, item.itemId, steward);
    loop.clock.advance(DAY_MS);
  }
  const all = await onRecord();
  const deps = { audits: loop.audits, runs: loop.runs };
  const paged: unknown[] = [];
  let after: { seq: string } | null = null;
  do {
    const page: Awaited<ReturnType<typeof readAudit>> = await readAudit(deps, OWNER, {
      since: 0,
      limit: 2,
      after,
    });
    paged.push(...page.items);
    after = page.next;
  } while (after);
  expect(paged).toEqual(all.toReversed());
  const late = await readAudit(deps, OWNER, { since: all[3]!.at, limit: 100, after: null });
  expect(late.items).toEqual(all.slice(3).toReversed());
});

describe("the ledger is appended to and nothing else", () => {
  test("whatever happens, it is read and put to, and put to where nothing is", async () => {
    const { holdId, sha256 } = await loop.givenHeldRun();
    await code(loop.decide(holdId, `sha256:${"0".repeat(64)}`, "approve"));
    const { decision } = await loop.decide(holdId, sha256, "approve");
    await loop.takeBack(holdId, decision.decisionId);
    loop.clock.advance(400 * DAY_MS);
    await loop.recover();
    await onRecord();
    const names = new Set(toLedger.map(({ name }) => name));
    expect([...names].toSorted()).toEqual(["PutCommand", "QueryCommand"]);
    const puts = toLedger.filter(({ name }) => name === "PutCommand");
    const conditions = new Set(puts.map(({ input }) => input["ConditionExpression"]));
    expect([...conditions]).toEqual(["attribute_not_exists(#n0)"]);
  });

  test("three stores of the source speak to it, and none of them knows an update or a deletion", () => {
    const root = join(import.meta.dirname, "../../..");
    const sources = ["lib", "functions"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    const speaks = sources.filter((path) => /\bLEDGER\b/.test(readFileSync(path, "utf8")));
    expect(speaks.map((path) => path.slice(root.length + 1)).toSorted()).toEqual([
      "lib/audit/store.ts",
      "lib/core/keys.ts",
      "lib/edges/evidence/store.ts",
      "lib/steward/store.ts",
    ]);
    for (const path of speaks.filter((each) => each.endsWith("store.ts"))) {
      expect([path, readFileSync(path, "utf8")]).toEqual([
        path,
        expect.not.stringMatching(/Update|Delete|BatchWrite/),
      ]);
    }
  });

  test("no function's role may update or delete there", () => {
    const declared = Object.values<FunctionDeclaration>(FUNCTIONS).flatMap(
      ({ tables }) => tables.ledger ?? [],
    );
    expect(declared.length).toBeGreaterThan(3);
    expect(new Set(declared)).toEqual(new Set(["read", "append"]));
  });
});
