import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../../lib/core/duration.ts";
import { hasCode } from "../../../lib/core/errors.ts";
import { MEMO_TEXT_MAX_BYTES } from "../../../lib/memos/memo.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { rejectMany } from "../../../lib/runs/reject-many.ts";
import { readHold } from "../../../lib/runs/hold-view.ts";
import { runRecord } from "../../../lib/runs/run-view.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { createLoop, OWNER, PLAIN_WORKFLOW, steward, type Loop } from "../../support/loop.ts";
import { scriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";

let engine: Engine;
let loop: Loop;
let model: ScriptedModel;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());
beforeEach(async () => {
  model = scriptedModel(() => "# Heading\n\nA draft.");
  loop = createLoop(engine, { model });
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
});

let topic = 0;
const held = () => loop.givenHeldRun("/plain", { topic: `verdict ${++topic}` });
const ben = { ...steward, principalId: "human:ben", uid: "ben", username: "ben" };

async function landed(runId: string) {
  const run = await loop.runs.readHead(runId);
  if (run?.status !== "done" || !run.landing) throw new Error(`expected a landing, found ${run?.status}`);
  return readMemo(loop, OWNER, run.landing.memoId);
}

describe("approve_edited", () => {
  test("lands the person's text and title, keeps both texts with their shas, and calls no model", async () => {
    const { runId, holdId, sha256 } = await held();
    const text = "# Mine\n\nA person's text.\n";
    const decided = await loop.say(holdId, {
      verdict: "approve_edited",
      sha256,
      text,
      title: "  My   title ",
    });
    expect(decided.decision).toMatchObject({
      verdict: "approve_edited",
      lands: expect.stringMatching(/^sha256:/),
    });
    expect(decided.decision.lands).not.toBe(sha256);
    expect(decided.guards).toMatchObject([{ guard: "no-secrets", passed: true }]);
    await loop.deliver();
    expect(await landed(runId)).toMatchObject({ body: text, title: "My title", contentVersion: 1 });
    expect(model.calls).toHaveLength(1);
    expect(await readHold(loop, OWNER, holdId)).toMatchObject({
      open: false,
      sha256,
      proposal: { sha256, text: "# Heading\n\nA draft." },
      edited: { sha256: decided.decision.lands, text, title: "My title" },
    });
    const record = await runRecord(loop, (await loop.runs.readHead(runId))!);
    expect(record.proposal).toMatchObject({ text });
  });

  test("with a title alone the text stays as it was shown", async () => {
    const { runId, holdId, sha256 } = await held();
    await loop.say(holdId, { verdict: "approve_edited", sha256, title: "Only the title" });
    await loop.deliver();
    expect(await landed(runId)).toMatchObject({ body: "# Heading\n\nA draft.", title: "Only the title" });
  });

  test("an edit with a credential in it is said so and not refused", async () => {
    const { runId, holdId, sha256 } = await held();
    const text = "key AKIAABCDEFGHIJKLMNOP";
    const { guards } = await loop.say(holdId, { verdict: "approve_edited", sha256, text });
    expect(guards).toContainEqual(expect.objectContaining({ guard: "no-secrets", passed: false }));
    await loop.deliver();
    expect((await landed(runId))?.body).toBe(text);
  });

  test("a text of 2 MB lands byte for byte; one byte more is refused with both numbers before any write", async () => {
    const { runId, holdId, sha256 } = await held();
    const text = "é".repeat(MEMO_TEXT_MAX_BYTES / 2);
    const writes = () => {
      const { PutItem = 0, UpdateItem = 0 } = engine.counts();
      return PutItem + UpdateItem;
    };
    const before = writes();
    const error = await loop
      .say(holdId, { verdict: "approve_edited", sha256, text: `${text}x` })
      .catch((e) => e);
    expect(hasCode(error, "body_too_large") && error.details).toEqual({
      limit: MEMO_TEXT_MAX_BYTES,
      actual: MEMO_TEXT_MAX_BYTES + 1,
    });
    expect(writes()).toBe(before);
    await loop.say(holdId, { verdict: "approve_edited", sha256, text });
    await loop.deliver();
    expect((await landed(runId))?.body === text).toBe(true);
  });
});

describe("what a hold does not take", () => {
  test.each(["rebase", "replace", "keep_both", "allow_once", "cancel"] as const)(
    "%s is answered with what is allowed, and changes nothing",
    async (verdict) => {
      const { runId, holdId, sha256 } = await held();
      const more = verdict === "rebase" || verdict === "replace" ? { onVersion: 1 } : {};
      const error = await loop.say(holdId, { verdict, sha256, ...more } as never).catch((e) => e);
      expect(hasCode(error, "verdict_not_allowed") && error.details).toEqual({
        holdId,
        verdict,
        allowed: ["approve", "approve_edited", "request_changes", "reject"],
      });
      expect((await loop.runs.readHead(runId))?.gate?.decision).toBeUndefined();
    },
  );
});

describe("the same decisionId again", () => {
  test("with another text is not the same decision", async () => {
    const { holdId, sha256 } = await held();
    const say = (text: string) =>
      loop.say(holdId, { verdict: "approve_edited", sha256, text, decisionId: "dec_edit" });
    const first = await say("One.");
    expect((await say("One.")).decision).toEqual(first.decision);
    await expect(say("Two.")).rejects.toMatchObject({ code: "already_decided" });
    await loop.deliver();
    expect((await say("One.")).decision).toEqual(first.decision);
  });

  const zeros = `sha256:${"0".repeat(64)}`;
  test.each([
    ["title", { verdict: "approve_edited", title: "One" }, { title: "Two" }],
    ["text beside the title", { verdict: "approve_edited", title: "One" }, { text: "A draft." }],
    ["sha256", { verdict: "approve_edited", title: "One" }, { sha256: zeros }],
    ["sha256 of a rejection", { verdict: "reject", reason: "no" }, { sha256: zeros }],
    ["reason", { verdict: "request_changes", reason: "shorter" }, { reason: "longer" }],
  ])(
    "with another %s is not the same decision, now and after the run went on",
    async (_what, first, other) => {
      const { holdId, sha256 } = await held();
      const said = { sha256, decisionId: "dec_other", ...first };
      const { decision } = await loop.say(holdId, said as never);
      const repeats = async () => {
        expect((await loop.say(holdId, said as never)).decision).toEqual(decision);
        await expect(loop.say(holdId, { ...said, ...other } as never)).rejects.toMatchObject({
          code: "already_decided",
          details: { decision },
        });
      };
      await repeats();
      await loop.deliver();
      await repeats();
      expect(decision).not.toHaveProperty("said");
      expect((await readHold(loop, OWNER, holdId)).decision).not.toHaveProperty("said");
    },
  );

  test("of a bulk rejection with another reason is not the same decision", async () => {
    const { holdId, sha256 } = await held();
    const asking = { principal: steward, sessionId: null };
    const reject = (reason: string) =>
      rejectMany(loop.stewardDeps, asking, { holds: [{ holdId, sha256 }], reason });
    expect(await reject("too long")).toMatchObject([{ outcome: "applied" }]);
    expect(await reject("too long")).toMatchObject([{ outcome: "applied" }]);
    expect(await reject("too short")).toMatchObject([{ holdId, outcome: "already_decided" }]);
  });

  test("is recognised after the run has moved on to another hold, and nobody else's is", async () => {
    const { runId, holdId, sha256 } = await held();
    const again = (by = steward) =>
      loop.say(holdId, { verdict: "request_changes", sha256, reason: "shorter", decisionId: "dec_back" }, by);
    const first = await again();
    await loop.deliver();
    const next = await loop.hold(runId);
    expect(next.holdId).not.toBe(holdId);
    const second = await again();
    expect(second.decision).toEqual(first.decision);
    expect(loop.bells).toEqual([]);
    const other = await again(ben).catch((e) => e);
    expect(hasCode(other, "already_decided") && other.details.decision).toEqual(first.decision);
    expect(await readHold(loop, OWNER, holdId)).toMatchObject({
      open: false,
      verdicts: [],
      decision: { verdict: "request_changes", reason: "shorter" },
      proposal: { sha256 },
    });
    expect((await loop.runs.readHead(runId))?.gate?.decision).toBeUndefined();
  });
});

test("O06: a hold of a year outlasts 90 days of ticks without a recovery, and is approved then", async () => {
  const yearly = PLAIN_WORKFLOW.replaceAll("/plain", "/yearly").replace(
    "- **Destination**",
    "- **Hold expires** `365d` then `cancel`\n- **Destination**",
  );
  await loop.importFiles({ "yearly.md": yearly });
  const { runId, holdId, sha256 } = await loop.givenHeldRun("/yearly", { topic: "A year" });
  for (let day = 0; day < 90; day++) {
    loop.clock.advance(DAY_MS);
    await loop.recover();
  }
  expect(await loop.hold(runId)).toMatchObject({ holdId, open: true });
  expect((await loop.runs.readHead(runId))?.recoveries).toBe(0);
  await loop.decide(holdId, sha256, "approve");
  await loop.deliver();
  expect((await loop.runs.readHead(runId))?.status).toBe("done");
  expect(model.calls).toHaveLength(1);
});
