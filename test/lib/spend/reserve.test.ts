import { afterAll, beforeAll, expect, test } from "vitest";
import type { Day, Reserved } from "../../../lib/spend/day-row.ts";
import { createSpendStore, type SpendStore } from "../../../lib/spend/store.ts";
import { startEngine, type Engine } from "../../support/engine.ts";

let engine: Engine;
let spend: SpendStore;
beforeAll(async () => {
  engine = await startEngine();
  spend = createSpendStore(engine.doc, engine.tables);
});
afterAll(() => engine.stop());

const AT = Date.parse("2026-01-05T23:59:59.999Z");
let made = 0;
const newDay = (): Day => ({ ownerUid: "owner", workflowId: `memo_${++made}`, at: AT });
const of = (tokens: number, microUsd = 0, more: Partial<Reserved> = {}): Reserved => ({
  runId: "run_1",
  epoch: 1,
  tokens,
  microUsd,
  ...more,
});
const limit = (tokens: number | null, usd: number | null = null) => ({ tokens, usd });
const cost = (token: string, tokens: number, microUsd: number) => ({
  token,
  epoch: 9,
  tokens,
  microUsd,
  calls: 1,
  unpriced: 0,
  model: "m.1",
  asOf: "2026-05-01",
});
/** The row as the next one who is refused sees it. */
const seen = async (day: Day) => (await spend.reserve(day, "probe", of(1e12), limit(1)))!;

test("of twenty at the same time exactly as many are reserved as fit", async () => {
  const day = newDay();
  const asked = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      spend.reserve(day, `slot${n}`, of(300, 0, { runId: `run_${n}` }), limit(2200)),
    ),
  );
  expect(asked.filter((refusal) => refusal === undefined)).toHaveLength(7);
  expect((await seen(day)).committed.tokens).toBe(2100);
});

test("a limit in money is kept beside one in tokens, to the millionth", async () => {
  const day = newDay();
  expect(await spend.reserve(day, "a", of(1, 300_000), limit(1000, 0.5))).toBeUndefined();
  expect(await spend.reserve(day, "b", of(1, 200_001), limit(1000, 0.5))).toMatchObject({
    committed: { tokens: 1, microUsd: 300_000 },
  });
  expect(await spend.reserve(day, "b", of(1, 200_000), limit(1000, 0.5))).toBeUndefined();
  expect(await spend.reserve(day, "c", of(999, 0), limit(1000, 0.5))).toBeDefined();
  expect(await spend.reserve(day, "c", of(998, 0), limit(1000, 0.5))).toBeUndefined();
});

test("what alone is more than the limit is refused on a row that is not there yet", async () => {
  expect(await spend.reserve(newDay(), "a", of(1001), limit(1000))).toBeDefined();
  expect(await spend.reserve(newDay(), "a", of(1000), limit(1000))).toBeUndefined();
});

test("the same question adds once, whoever repeats it, and only the difference when it needs more", async () => {
  const day = newDay();
  await spend.reserve(day, "a", of(600), limit(1000));
  expect(await spend.reserve(day, "a", of(600), null)).toBeUndefined();
  expect(await spend.reserve(day, "a", of(600), limit(9000))).toBeUndefined();
  expect(await spend.reserve(day, "a", of(600, 0, { epoch: 3 }), limit(1000))).toBeUndefined();
  expect((await seen(day)).committed.tokens).toBe(600);
  expect(await spend.reserve(day, "a", of(1001, 0, { epoch: 3 }), limit(1000))).toBeDefined();
  expect(await spend.reserve(day, "a", of(1000, 0, { epoch: 3 }), limit(1000))).toBeUndefined();
  expect(await spend.reserve(day, "a", of(100, 0, { epoch: 5 }), limit(1000))).toBeUndefined();
  expect((await seen(day)).committed.tokens).toBe(100);
});

test("settling puts what was used in place of what was reserved, once for each token", async () => {
  const day = newDay();
  await spend.reserve(day, "a", of(600, 9000), limit(1000));
  expect(await spend.settle(day, "a", cost("row", 450, 7000))).toBe(true);
  expect(await spend.settle(day, "a", cost("row", 450, 7000))).toBe(false);
  const row = await seen(day);
  expect(row).toMatchObject({
    tokens: 450,
    microUsd: 7000,
    calls: 1,
    committed: { tokens: 450, microUsd: 7000 },
  });
  expect(row.reserved.size).toBe(0);
  // An answer past its reservation counts whole.
  await spend.reserve(day, "a", of(500), limit(1000));
  await spend.settle(day, "a", cost("next", 700, 0));
  expect((await seen(day)).committed.tokens).toBe(1150);
  expect(await spend.reserve(day, "b", of(1), limit(1000))).toBeDefined();
});

test("a runner that comes back late counts its cost and leaves the reservation of a later one", async () => {
  const day = newDay();
  await spend.reserve(day, "a", of(600, 0, { epoch: 3 }), limit(1000));
  expect(await spend.settle(day, "a", { ...cost("late", 300, 0), epoch: 1 })).toBe(true);
  expect((await seen(day)).committed.tokens).toBe(900);
  expect(await spend.settle(day, "a", { ...cost("row", 500, 0), epoch: 3 })).toBe(true);
  expect(await seen(day)).toMatchObject({ tokens: 800, committed: { tokens: 800 } });
});

test("what was never reserved is counted all the same, and leaves less for others", async () => {
  const day = newDay();
  await spend.addOnce("owner", day.workflowId!, { at: AT, ...cost("row", 800, 0) });
  expect(await spend.reserve(day, "a", of(201), limit(1000))).toBeDefined();
  expect(await spend.settle(day, "a", cost("row", 800, 0))).toBe(false);
});

test("a released reservation leaves its room; a named one goes only as it was read", async () => {
  const day = newDay();
  await spend.reserve(day, "a", of(1000), limit(1000));
  await spend.release(day, "a");
  await spend.release(day, "a");
  expect((await seen(day)).committed.tokens).toBe(0);
  await spend.reserve(day, "a", of(900), limit(1000));
  await spend.reserve(day, "a", of(900, 0, { epoch: 3 }), limit(1000));
  await spend.release(day, "a", of(900));
  expect((await seen(day)).committed.tokens).toBe(900);
});

test("a write whose answer is lost is known again", async () => {
  const day = newDay();
  const send = engine.doc.send.bind(engine.doc) as (command: never) => Promise<unknown>;
  let isLost = true;
  const doc = new Proxy(engine.doc, {
    get: (target, key) =>
      key !== "send"
        ? (Reflect.get(target, key) as unknown)
        : async (command: never) => {
            const answer = await send(command);
            if (!isLost || (command as object).constructor.name !== "UpdateCommand") return answer;
            isLost = false;
            // The client sends it again, and it fails against itself.
            return send(command);
          },
  });
  const flaky = createSpendStore(doc, engine.tables);
  expect(await flaky.reserve(day, "a", of(600), limit(9000))).toBeUndefined();
  expect((await seen(day)).committed.tokens).toBe(600);
  isLost = true;
  await flaky.settle(day, "a", cost("row", 100, 1));
  expect(await seen(day)).toMatchObject({ tokens: 100, calls: 1, committed: { tokens: 100 } });
  await spend.reserve(day, "b", of(600), limit(1000));
  isLost = true;
  await flaky.release(day, "b");
  expect((await seen(day)).committed.tokens).toBe(100);
});

test("the library's own row is apart from its workflows, and in no list", async () => {
  const library: Day = { ownerUid: "lib", workflowId: null, at: AT };
  await spend.reserve(library, "a", of(10, 400_000), limit(null, 1));
  await spend.settle(library, "a", cost("row", 10, 250_000));
  await spend.addOnce("lib", "memo_x", { at: AT, ...cost("row", 10, 250_000) });
  expect(await spend.spentOn("lib", null, AT)).toEqual({ tokens: 10, microUsd: 250_000 });
  const { rows } = await spend.rowsOf("lib", { from: "2026-01-01", to: "2026-01-31", limit: 10 });
  expect(rows.map(({ workflowId, day }) => [workflowId, day])).toEqual([["memo_x", "2026-01-05"]]);
  expect(Object.fromEntries(rows[0]!.models)).toEqual({
    "m.1": { tokens: 10, microUsd: 250_000, calls: 1, unpriced: 0 },
  });
  expect(rows[0]!.asOf).toEqual(["2026-05-01"]);
});

test("a list names the day at which there were too many rows", async () => {
  for (const [workflowId, at] of [
    ["memo_1", AT],
    ["memo_2", AT],
    ["memo_1", AT - 24 * 3_600_000],
  ] as const) {
    await spend.addOnce("many", workflowId, { at, ...cost("row", 1, 1) });
  }
  const range = { from: "2026-01-01", to: "2026-01-31" };
  expect((await spend.rowsOf("many", { ...range, limit: 2 })).cutDay).toBe("2026-01-04");
  expect((await spend.rowsOf("many", { ...range, limit: 3 })).cutDay).toBeNull();
  expect((await spend.rowsOf("many", { from: "2026-01-05", to: "2026-01-05", limit: 3 })).rows).toHaveLength(
    2,
  );
});

const HALF_HOUR_MS = 30 * 60_000;
const noon = Date.parse("2026-01-05T12:00:00Z");

test("a day of two thousand calls keeps the marks of the last hour and a half, and counts each once", async () => {
  const day = newDay();
  const perWindow = 42;
  const spent = (n: number) => ({
    token: `call ${n}`,
    at: Date.parse("2026-01-05T00:00:00Z") + Math.floor(n / perWindow) * HALF_HOUR_MS,
    tokens: 1,
    microUsd: 2,
  });
  for (let n = 0; n < 48 * perWindow; n++) {
    expect(await spend.addOnce(day.ownerUid, day.workflowId!, spent(n))).toBe(true);
  }
  // Repeats of the last windows, in any order.
  for (const n of [48 * perWindow - 1, 46 * perWindow, 47 * perWindow + 3]) {
    expect(await spend.addOnce(day.ownerUid, day.workflowId!, spent(n))).toBe(false);
  }
  const row = await seen(day);
  expect(row).toMatchObject({ tokens: 48 * perWindow, microUsd: 96 * perWindow });
  expect(row.counted.size).toBe(3 * perWindow);
});

test("what comes late counts once, and what comes after its mark is forgotten does not count", async () => {
  const day = { ...newDay(), at: noon };
  const add = (token: string, windows: number) =>
    spend.addOnce(day.ownerUid, day.workflowId!, {
      token,
      at: noon + windows * HALF_HOUR_MS,
      tokens: 1,
      microUsd: 0,
    });
  expect(await add("a", 0)).toBe(true);
  expect(await add("b", 2)).toBe(true);
  expect(await add("late", 1)).toBe(true);
  expect([await add("late", 1), await add("a", 0), await add("b", 2)]).toEqual([false, false, false]);
  expect(await add("c", 3)).toBe(true);
  // A repeat of the first call, whose mark has gone with its window: not a second time.
  expect([await add("a", 0), await add("too late", 0)]).toEqual([false, false]);
});

test("a reservation that stands is proof enough that its work was not counted", async () => {
  const day = { ...newDay(), at: noon };
  await spend.reserve(day, "slot", of(10), limit(1000));
  const later = { tokens: 1, microUsd: 0, at: noon + 5 * HALF_HOUR_MS, token: "later" };
  await spend.addOnce(day.ownerUid, day.workflowId!, later);
  expect(await spend.settle(day, "slot", cost("first", 7, 0))).toBe(true);
  expect(await spend.settle(day, "slot", cost("first", 7, 0))).toBe(false);
  const row = await spend.reserve({ ...day, at: noon + 5 * HALF_HOUR_MS }, "probe", of(1e12), limit(1));
  expect(row).toMatchObject({ tokens: 8, committed: { tokens: 8 } });
});
