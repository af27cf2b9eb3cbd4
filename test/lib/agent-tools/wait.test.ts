import { expect, test } from "vitest";
import type { Work } from "../../../lib/agent-tools/subject.ts";
import { waitFor } from "../../../lib/agent-tools/wait.ts";
import { testClock } from "../../support/clock.ts";

const QUEUED: Work = { itemId: "item_x", state: "queued" };
const HELD: Work = { itemId: "item_x", state: "held" };

function given() {
  const clock = testClock();
  const at = clock.now();
  const pause = async (ms: number) => void clock.advance(ms);
  return { deps: { clock, pause }, call: { at, waitUntil: at + 20_000 }, waited: () => clock.now() - at };
}

test("O46: a wait on what never starts ends when it said, and not a moment later", async () => {
  const { deps, call, waited } = given();
  let looks = 0;
  const look = async () => (looks++, QUEUED);
  expect(await waitFor(deps, call, 20, look)).toEqual(QUEUED);
  expect(waited()).toBe(20_000);
  // About one look a second: a wait must not cost more than its answer is worth.
  expect(looks).toBeLessThan(30);
});

test("a wait ends with the request's own time, whatever was asked for", async () => {
  const { deps, call, waited } = given();
  deps.clock.advance(15_000);
  await waitFor(deps, call, 20, async () => QUEUED);
  expect(waited()).toBe(20_000);
});

test("without a wait it looks once, and with one it ends as soon as a person is asked", async () => {
  const { deps, call, waited } = given();
  let looks = 0;
  await waitFor(deps, call, 0, async () => (looks++, QUEUED));
  expect([looks, waited()]).toEqual([1, 0]);
  const answers = [QUEUED, QUEUED, HELD];
  expect(await waitFor(deps, call, 20, async () => answers.shift()!)).toEqual(HELD);
  expect(waited()).toBeLessThan(1000);
});
