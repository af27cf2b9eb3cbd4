import type { SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandler as createRunner } from "../../functions/queue-run.ts";
import { createHandler as createSteward } from "../../functions/steward.ts";
import { createSnoozeStore } from "../../lib/snoozes/store.ts";
import { httpEvent } from "../support/http-event.ts";
import { createLoop, steward } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { startBadDays, type BadDays } from "./bad-days.ts";
import type { Fate, Seen } from "./store-proxy.ts";

/*
 * The functions' own handlers over the real SDK client, on days when the store refuses: what callers are told.
 */

let days: BadDays;
beforeAll(async () => {
  days = await startBadDays();
});
afterAll(() => days.stop());

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The loop through the client that has bad days, and a run of it at its hold. */
async function givenHold(dedupeKey: string) {
  const loop = createLoop(
    { doc: days.doc, tables: days.engine.tables },
    { model: scriptedModel(() => "A draft.") },
  );
  const held = await loop.givenHeldRun("/plain", { topic: dedupeKey }, { dedupeKey });
  const snoozes = createSnoozeStore(days.doc, days.engine.tables);
  const handler = createSteward({ ...loop.stewardDeps, snoozes, log } as never);
  const approve = () =>
    handler(
      httpEvent({
        route: "POST /api/holds/{id}/decision",
        principal: steward,
        params: { id: held.holdId },
        body: { verdict: "approve", sha256: held.sha256, decisionId: `dec_${dedupeKey}` },
      }),
    );
  return { loop, ...held, approve };
}

const isDecision = ({ name }: Seen) => name.startsWith("runs HEAD gate.decision");

test.each<Fate>(["throttled", "throttling"])(
  "F34: a decision that was refused as %s is 503 with Retry-After, is not made, and is made by the next try",
  async (fate) => {
    const { loop, runId, approve } = await givenHold(`f34-${fate.replace(" ", "-")}`);
    days.proxy.start((seen) => (isDecision(seen) ? fate : "pass"));
    const refused = await approve();
    expect(days.proxy.seen().filter(isDecision)).toHaveLength(3);
    days.proxy.start(() => "pass");
    expect(refused).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
    expect(refused.body).not.toMatch(/runs|Exception|on purpose/);
    const open = await loop.runs.readHead(runId);
    expect(open).toMatchObject({ status: "suspended" });
    expect(open?.gate?.decision).toBeUndefined();
    expect(await approve()).toMatchObject({ statusCode: 200 });
    await loop.deliver();
    expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done" });
  },
);

test("F28: a signature that is refused once is 503 with Retry-After, never 401 or 403, and the next try is made", async () => {
  const { loop, runId, approve } = await givenHold("f28-once");
  days.proxy.start((seen) => (isDecision(seen) ? "bad signature" : "pass"));
  expect(await approve()).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
  days.proxy.start(() => "pass");
  expect(await approve()).toMatchObject({ statusCode: 200 });
  await loop.deliver();
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done" });
});

test("F28: a runner whose first call is refused for its signature gives the message back before any lease", async () => {
  const { loop, runId, approve } = await givenHold("f28-runner");
  await approve();
  const before = await loop.runs.readHead(runId);
  const bell = loop.bells.splice(0).at(-1);
  const event = { Records: [{ messageId: "m1", body: JSON.stringify(bell) }] } as SQSEvent;
  const runner = createRunner({ ...loop.runner, log } as never);
  const context = { getRemainingTimeInMillis: () => 900_000 } as never;
  days.proxy.start(() => "bad signature");
  expect(await runner(event, context)).toEqual({ batchItemFailures: [{ itemIdentifier: "m1" }] });
  days.proxy.start(() => "pass");
  expect(await loop.runs.readHead(runId)).toEqual(before);
  expect(await runner(event, context)).toEqual({ batchItemFailures: [] });
  expect(await loop.runs.readHead(runId)).toMatchObject({ status: "done" });
});
