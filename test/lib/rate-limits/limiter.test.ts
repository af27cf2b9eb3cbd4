import { afterAll, expect, test } from "vitest";
import { MINUTE_MS } from "../../../lib/core/duration.ts";
import { createLimiter } from "../../../lib/rate-limits/limiter.ts";
import { createRateStore } from "../../../lib/rate-limits/store.ts";
import { startEngine } from "../../support/engine.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const rates = createRateStore(engine.doc, engine.tables);
const containersOf = (count: number, limit: number) =>
  Array.from({ length: count }, () => createLimiter({ rates }, limit));

/** How many of these requests pass, dealt to the containers in turn. */
async function passing(
  containers: ReturnType<typeof containersOf>,
  requests: number,
  { caller, at }: { caller: string; at: number },
): Promise<number> {
  let passed = 0;
  for (let n = 0; n < requests; n++) {
    if ((await containers[n % containers.length]!(caller, at)) === null) passed++;
  }
  return passed;
}

test("one container lets exactly the limit pass, and the next minute starts afresh", async () => {
  const [limiter] = containersOf(1, 600);
  const at = 10 * MINUTE_MS;
  expect(await passing([limiter!], 700, { caller: "one", at })).toBe(600);
  expect(await limiter!("one", at + 20_000)).toEqual({ limit: 600, retryAfterMs: 40_000 });
  expect(await passing([limiter!], 700, { caller: "one", at: at + MINUTE_MS })).toBe(600);
  expect(await limiter!("another", at)).toBeNull();
});

test.each([
  [2, 600],
  [7, 600],
  [20, 600],
  [5, 10],
  [3, 1],
])(
  "%i containers together let at least %i pass, and at most a share each beyond it",
  async (count, limit) => {
    const caller = `many ${count} ${limit}`;
    const passed = await passing(containersOf(count, limit), 3 * limit + count * 100, { caller, at: 0 });
    expect(passed).toBeGreaterThanOrEqual(limit);
    expect(passed).toBeLessThanOrEqual(limit + count * (Math.ceil(limit / 20) - 1));
  },
);

test("whoever stays within the limit is never refused, however the requests fall on containers", async () => {
  for (let count = 1; count <= 6; count++) {
    expect(await passing(containersOf(count, 60), 60, { caller: `within ${count}`, at: 0 })).toBe(60);
  }
});

test("a write of the shared row stands for a twentieth of the limit, and few requests cost none", async () => {
  const [limiter] = containersOf(1, 600);
  engine.resetCounts();
  await passing([limiter!], 29, { caller: "few", at: 0 });
  expect(engine.counts()).toEqual({});
  await passing([limiter!], 571, { caller: "few", at: 0 });
  expect(engine.counts()).toEqual({ UpdateItem: 20 });
  await passing([limiter!], 1000, { caller: "few", at: 0 });
  // Refused requests cost nothing.
  expect(engine.counts()).toEqual({ UpdateItem: 20 });
});

test("where the shared row cannot be reached a container counts for itself and lets its own limit pass", async () => {
  const failures: unknown[] = [];
  const broken = {
    async add(): Promise<number> {
      throw new Error("throttled");
    },
  };
  const limiter = createLimiter({ rates: broken, onFailure: (error) => failures.push(error) }, 40);
  expect(await passing([limiter], 100, { caller: "x", at: 0 })).toBe(40);
  expect(failures).toHaveLength(20);
});
