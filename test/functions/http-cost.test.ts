import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandler } from "../../functions/http-cost.ts";
import type { Principal } from "../../lib/core/principal.ts";
import { costLines } from "../../lib/cli/ops/cost.ts";
import type { ShownCost } from "../../lib/client/answers.ts";
import { DAY_MS } from "../../lib/core/duration.ts";
import { createCatalog } from "../../lib/memos/catalog.ts";
import { startEngine, type Engine } from "../support/engine.ts";
import { agentOf, httpEvent } from "../support/http-event.ts";
import { createLoop, OWNER, type Loop } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { workflowText } from "../support/workflow-text.ts";

/** $3 and $15 for a million tokens: 1,000 in and 100 out cost 3,000 + 1,500 millionths. */
const PRICE = { input: 3, output: 15, asOf: "2026-05-01" };
const usage = { input: 1000, cacheRead: 0, cacheWrite: 0, output: 100, estimated: false };

let engine: Engine;
let loop: Loop;
let ids: Record<string, string>;
let sessionId: string;
beforeAll(async () => {
  engine = await startEngine();
  const model = scriptedModel(({ model: name }) => ({
    text: "A text.",
    usage,
    costMicroUsd: name === "large" ? null : 4500,
  }));
  loop = createLoop(engine, { model, price: PRICE });
  ids = await loop.importFiles({
    "first.md": workflowText({ command: "/first", trigger: ["**Input** `n` number"] }),
    "second.md": workflowText({ command: "/second", policy: ["**Model** `large`"] }),
  });
  sessionId = "ses_costly";
  for (const n of [1, 2]) await loop.enqueueText("/first", JSON.stringify({ n }), sessionId);
  await loop.settleDown();
  loop.clock.advance(DAY_MS);
  await loop.enqueue("/first", { n: 3 });
  await loop.enqueue("/second", {});
  await loop.settleDown();
});
afterAll(() => engine.stop());

async function ask(query: Record<string, string>, principal: Principal = agentOf(OWNER)) {
  const catalog = createCatalog(loop);
  const handler = createHandler({
    clock: loop.clock,
    sessions: loop.sessions,
    spend: loop.spend,
    runs: loop.runs,
    catalog,
  });
  const { statusCode, body } = await handler(httpEvent({ route: "GET /api/cost", query, principal }));
  return { status: statusCode, body: JSON.parse(body) as ShownCost & { code?: string } };
}

const line = (calls: number, costMicroUsd: number | null, unpricedCalls = 0) => ({
  tokens: calls * 1100,
  calls,
  costMicroUsd,
  unpricedCalls,
});

test("by workflow: dearest first, with titles, and a cost that is unknown is not a sum of the rest", async () => {
  const { status, body } = await ask({});
  expect(status).toBe(200);
  expect(body).toEqual({
    by: "workflow",
    from: "2025-12-31",
    to: "2026-01-06",
    complete: true,
    pricesAsOf: ["2026-05-01"],
    items: [
      { workflowId: ids["first.md"], title: "first", ...line(3, 13_500) },
      { workflowId: ids["second.md"], title: "second", ...line(1, null, 1) },
    ],
    total: line(4, null, 1),
  });
});

test("by day: newest first, and since counts whole days of UTC with today among them", async () => {
  expect((await ask({ by: "day" })).body.items).toEqual([
    { day: "2026-01-06", ...line(2, null, 1) },
    { day: "2026-01-05", ...line(2, 9000) },
  ]);
  const today = await ask({ by: "day", since: "1d" });
  expect(today.body).toMatchObject({ from: "2026-01-06", to: "2026-01-06", items: [{ day: "2026-01-06" }] });
});

test("by model: as the workflow's configuration names it", async () => {
  expect((await ask({ by: "model" })).body.items).toEqual([
    { model: "default", ...line(3, 13_500) },
    { model: "large", ...line(1, null, 1) },
  ]);
});

test("by session: the sum of what the heads of its runs say", async () => {
  const { body } = await ask({ by: "session" });
  expect(body.items).toEqual([
    { sessionId, tokens: 2200, calls: 2, costMicroUsd: 9000 },
    { sessionId: null, tokens: 2200, calls: 2, costMicroUsd: null },
  ]);
  const page = await loop.runs.runsOfSession(sessionId, 10);
  const heads = await loop.runs.readHeads(page.runIds);
  expect(heads.map(({ spent }) => spent)).toEqual(
    Array.from({ length: 2 }, () => ({ tokens: 1100, microUsd: 4500, calls: 1 })),
  );
  expect((await ask({ by: "session", since: "1d" })).body.items).toMatchObject([{ sessionId: null }]);
});

test("another owner sees nothing of it, whoever they ask for, and a key without the scope is refused", async () => {
  for (const by of ["workflow", "day", "model", "session"]) {
    expect((await ask({ by }, agentOf("stranger"))).body.items).toEqual([]);
  }
  expect(await ask({}, agentOf(OWNER, ["memos:read"]))).toMatchObject({
    status: 403,
    body: { code: "scope_missing" },
  });
});

test.each([{ by: "owner" }, { since: "0d" }, { since: "93d" }, { since: "7" }, { ownerUid: "x" }])(
  "%o is refused",
  async (query) => {
    expect(await ask(query as Record<string, string>)).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
  },
);

test("the command's table has tokens, calls, cost or no price, and the date of the prices", async () => {
  expect(costLines((await ask({})).body)).toEqual([
    "workflow  tokens  calls  cost",
    "first     3300    3      $0.0135",
    "second    1100    1      no price for 1 call",
    "all       4400    4      no price for 1 call",
    "",
    "2025-12-31 to 2026-01-06, UTC; prices as of 2026-05-01",
  ]);
  expect(costLines((await ask({ by: "session", since: "1d" })).body)[1]).toBe(
    "without a session  2200    2      no price",
  );
  expect(costLines((await ask({}, agentOf("stranger"))).body)).toEqual([
    "Nothing was spent from 2025-12-31 to 2026-01-06, UTC.",
  ]);
});
