import { expect, test } from "vitest";
import { startScheduler } from "../../../infra/local/scheduler.ts";

/** Invocations that end when the test says so. */
function givenFunctions() {
  const fired: string[] = [];
  const running: (() => void)[] = [];
  const invoke = (name: string) => {
    fired.push(name);
    return new Promise<void>((resolve) => running.push(resolve));
  };
  const finish = async () => {
    await expect.poll(() => running.length, { interval: 5 }).toBeGreaterThan(0);
    running.shift()?.();
  };
  return { fired, running, invoke, finish };
}
const common = { region: "us-east-1", functions: ["resume", "pass", "recover"], first: "recover" };

test("fires recover first at the start, then resume, pass and recover in each round", async () => {
  const { fired, invoke, finish } = givenFunctions();
  const scheduler = startScheduler({ ...common, everyMs: 5, invoke });
  for (let ended = 0; ended < 6; ended++) await finish();
  await expect.poll(() => fired.length).toBe(7);
  expect(fired).toEqual(["recover", "resume", "pass", "resume", "pass", "recover", "resume"]);
  const stopped = scheduler.stop();
  await finish();
  await stopped;
});

test("never fires a function while a round still runs, however often the time comes", async () => {
  const { fired, running, invoke, finish } = givenFunctions();
  const scheduler = startScheduler({ ...common, everyMs: 1, invoke });
  await finish();
  await expect.poll(() => fired.length).toBe(2);
  let rounds = 0;
  const beside = startScheduler({
    ...common,
    functions: ["other"],
    everyMs: 1,
    invoke: async () => ++rounds,
  });
  await expect.poll(() => rounds).toBeGreaterThan(20);
  await beside.stop();
  expect(fired).toEqual(["recover", "resume"]);
  const stopped = scheduler.stop();
  running.shift()?.();
  await stopped;
  expect(fired).toEqual(["recover", "resume"]);
});

test("hands over the event of a scheduled rule", async () => {
  const events: unknown[] = [];
  const invoke = async (_: string, event: unknown) => events.push(event);
  const scheduler = startScheduler({ ...common, functions: ["pass"], everyMs: 60_000, invoke });
  await expect.poll(() => events.length).toBe(1);
  await scheduler.stop();
  expect(events[0]).toEqual({
    version: "0",
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: "000000000000",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    region: "us-east-1",
    resources: ["arn:aws:events:us-east-1:000000000000:rule/pass"],
    detail: {},
  });
});
