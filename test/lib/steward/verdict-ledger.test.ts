import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { VerdictPayload } from "../../../lib/steward/ledger-entry.ts";
import { createVerdictLedger, type Namespace } from "../../../lib/steward/store.ts";
import { startEngine } from "../../support/engine.ts";

const AT = Date.UTC(2026, 0, 5, 9, 0, 0);
const HOUR = 60 * 60 * 1000;
const engine = await startEngine();
afterAll(() => engine.stop());
const ledger = createVerdictLedger(engine.doc, engine.tables);

let owners = 0;
let real: Namespace;
let dry: Namespace;
beforeEach(() => {
  real = { ownerUid: `ana${++owners}`, appId: "session-steward", mode: "real" };
  dry = { ...real, mode: "dry" };
});

const said = (sessionId: VerdictPayload["sessionId"], verdict: string): VerdictPayload => ({
  kind: "steward-verdict",
  sessionId,
  verdict,
  confidence: 0.9,
  fingerprint: '{"busy":false}',
});
const append = (space: Namespace, n: number, verdict: string, sessionId: `ses_${string}` = "ses_1") =>
  ledger.append(space, { runId: `run_${n}`, at: AT + n * HOUR, payload: said(sessionId, verdict) });
const verdictsOf = async (space: Namespace, limit = 10, sessionId = "ses_1") =>
  (await ledger.ofSession(space, sessionId, limit)).map(({ payload }) =>
    "verdict" in payload ? payload.verdict : payload.operatorVerdict,
  );

describe("the memory of verdicts", () => {
  test("has the newest first, however many there are", async () => {
    for (let n = 0; n < 30; n++) await append(real, n, `v${n}`);
    expect(await verdictsOf(real, 3)).toEqual(["v29", "v28", "v27"]);
  });

  test("gives an entry in the form that the fold reads", async () => {
    await append(real, 1, "done");
    expect(await ledger.ofSession(real, "ses_1", 1)).toEqual([
      {
        id: expect.stringMatching(/^\d{15}#[0-9a-f]{30}$/),
        ts: new Date(AT + HOUR).toISOString(),
        stage: "session-steward",
        item: "ses_1",
        kind: "note",
        by: "policy",
        payload: said("ses_1", "done"),
      },
    ]);
  });

  test("takes one entry of a run and session: a repeat changes nothing, whatever it says", async () => {
    await append(real, 1, "done");
    await append(real, 1, "abandoned");
    await append(real, 1, "blocked", "ses_2");
    expect(await verdictsOf(real)).toEqual(["done"]);
    expect(await verdictsOf(real, 10, "ses_2")).toEqual(["blocked"]);
    expect(await ledger.ofOwner(real, 10)).toHaveLength(2);
  });

  test("keeps dry runs, apps and owners apart", async () => {
    await append(dry, 1, "done");
    await append({ ...real, appId: "other" }, 1, "done");
    await append({ ...real, ownerUid: "bob" }, 1, "done");
    // A name with the divider in it reaches nowhere else.
    await append({ ...real, appId: "session-steward#ses_1", mode: "real" }, 1, "done", "ses_1");
    expect(await verdictsOf(real)).toEqual([]);
    expect(await ledger.ofOwner(real, 10)).toEqual([]);
    expect(await verdictsOf(dry)).toEqual(["done"]);
  });

  test("lists an owner's newest over all sessions", async () => {
    for (let n = 0; n < 5; n++) await append(real, n, `v${n}`, `ses_${n}`);
    expect((await ledger.ofOwner(real, 2)).map(({ item }) => item)).toEqual(["ses_4", "ses_3"]);
  });
});

test("what a person saw otherwise is an entry of its own, and no verdict", async () => {
  await append(real, 1, "done");
  const disagreement = {
    by: "human:ana",
    at: AT + 2 * HOUR,
    payload: {
      kind: "operator-disagreement" as const,
      sessionId: "ses_1" as const,
      judgeVerdict: "done",
      judgeConfidence: 0.9,
      operatorVerdict: "active",
      fingerprint: null,
    },
  };
  await ledger.disagree(real, disagreement);
  await ledger.disagree(real, disagreement);
  expect(await ledger.disagreements(real, 10)).toMatchObject([{ kind: "disagreement", by: "human:ana" }]);
  expect(await verdictsOf(real)).toEqual(["done"]);
  expect((await ledger.ofOwner(real, 10)).map(({ kind }) => kind)).toEqual(["disagreement", "note"]);
});
