import { afterAll, expect, test } from "vitest";
import { hasCode } from "../../../lib/core/errors.ts";
import { once } from "../../../lib/repeats/once.ts";
import { GIVEN_UP_AFTER_MS, keptAnswer, KEPT_MS } from "../../../lib/repeats/repeat-record.ts";
import { createRepeatStore } from "../../../lib/repeats/store.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { countingIds } from "../../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();
const repeats = createRepeatStore(engine.doc, engine.tables);
const deps = { repeats, clock, ids: countingIds() };

/** Work that counts how often it was done. */
function givenWork(outcome: () => Promise<void> = async () => {}) {
  const done = { times: 0 };
  const work = {
    async run() {
      done.times++;
      await outcome();
      return { n: done.times };
    },
    kept: (body: unknown) => keptAnswer({ status: 201, headers: { etag: '"1"' }, body }),
  };
  return { done, work };
}
const request = (name: string, requestHash = "hash") => ({ name, key: name, requestHash });
const failure = (promise: Promise<unknown>) => promise.then(() => null).catch((error: unknown) => error);

test("a repeat is answered as the first was and does nothing", async () => {
  const { done, work } = givenWork();
  expect(await once(deps, request("a"), work)).toEqual({ answer: { n: 1 } });
  const repeated = { status: 201, headers: { etag: '"1"' }, body: '{"n":1}', isCut: false };
  expect(await once(deps, request("a"), work)).toEqual({ repeated });
  expect(done.times).toBe(1);
});

test("the same key with another request is refused, answered or not", async () => {
  const { done, work } = givenWork(async () => {
    const refused = await failure(once(deps, request("b", "other"), givenWork().work));
    expect(hasCode(refused, "idempotency_key_reused")).toBe(true);
  });
  await once(deps, request("b"), work);
  expect(hasCode(await failure(once(deps, request("b", "other"), work)), "idempotency_key_reused")).toBe(
    true,
  );
  expect(done.times).toBe(1);
});

test("while the first is being done a second one is told to wait", async () => {
  const second = givenWork();
  const { work } = givenWork(async () => {
    const refused = await failure(once(deps, request("c"), second.work));
    expect(hasCode(refused, "idempotency_key_in_progress") && refused.details.retryAfterSec).toBe(5);
  });
  await once(deps, request("c"), work);
  expect(second.done.times).toBe(0);
});

test("of twenty at once one is done", async () => {
  const { done, work } = givenWork();
  const all = await Promise.all(
    Array.from({ length: 20 }, () =>
      failure(once(deps, request("twenty"), work)).then((error) => error ?? "ok"),
    ),
  );
  expect(done.times).toBe(1);
  expect(
    all.filter((each) => each !== "ok").every((each) => hasCode(each, "idempotency_key_in_progress")),
  ).toBe(true);
});

test("F44: a record that has expired and is still there is not believed", async () => {
  const { done, work } = givenWork();
  await once(deps, request("d"), work);
  clock.advance(KEPT_MS - 1);
  expect(await once(deps, request("d"), work)).toHaveProperty("repeated");
  clock.advance(1);
  expect((await repeats.read("d"))?.expiresAt).toBe(clock.now());
  // Another request too: the old one has no say any more.
  expect(await once(deps, request("d", "other"), work)).toEqual({ answer: { n: 2 } });
  expect(done.times).toBe(2);
});

test("a failed request is forgotten and is done when it comes again", async () => {
  const failing = givenWork(async () => {
    throw new Error("no");
  });
  expect(await failure(once(deps, request("e"), failing.work))).toMatchObject({ message: "no" });
  expect(await once(deps, request("e", "mended"), givenWork().work)).toEqual({ answer: { n: 1 } });
});

test("a request whose container died goes on after a while, and what that one answers late is not kept", async () => {
  const late = givenWork(async () => {
    clock.advance(GIVEN_UP_AFTER_MS - 1);
    expect(
      hasCode(await failure(once(deps, request("f"), givenWork().work)), "idempotency_key_in_progress"),
    ).toBe(true);
    clock.advance(1);
    const second = await once(deps, request("f"), { ...givenWork().work, run: async () => ({ n: 9 }) });
    expect(second).toEqual({ answer: { n: 9 } });
  });
  await once(deps, request("f"), late.work);
  expect(await once(deps, request("f"), late.work)).toMatchObject({ repeated: { body: '{"n":9}' } });
});

test("an answer that cannot be kept is given all the same", async () => {
  const told: unknown[] = [];
  const broken = {
    ...deps,
    onFailure: (error: unknown) => told.push(error),
    repeats: {
      ...repeats,
      async finish(): Promise<boolean> {
        throw new Error("throttled");
      },
    },
  };
  expect(await once(broken, request("g"), givenWork().work)).toEqual({ answer: { n: 1 } });
  expect(told).toHaveLength(1);
});

test("an answer above 64 KB is kept without its large members", () => {
  const body = { memoId: "memo_x", text: "é".repeat(40_000), tags: ["a"] };
  const kept = keptAnswer({ status: 201, headers: {}, body });
  expect(kept).toMatchObject({ isCut: true, body: '{"memoId":"memo_x","tags":["a"]}' });
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`m${n}`, "x".repeat(500)]));
  expect(Buffer.byteLength(keptAnswer({ status: 201, headers: {}, body: many }).body)).toBeLessThan(70_000);
});
