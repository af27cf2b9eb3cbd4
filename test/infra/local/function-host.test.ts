import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createFunctionHost, type FunctionHost } from "../../../infra/local/functions/function-host.ts";

const hosts: FunctionHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

function givenHost(limits: { timeoutMs?: number; maxInstances?: number; memoryMb?: number } = {}) {
  const printed: string[] = [];
  const failures: string[] = [];
  const host = createFunctionHost({
    functions: {
      behave: {
        file: join(import.meta.dirname, "fixtures/behaviours.mjs"),
        timeoutMs: 5000,
        memoryMb: 128,
        maxInstances: 1,
        env: { ONLY: "this" },
        ...limits,
      },
      broken: {
        file: join(import.meta.dirname, "fixtures/no-handler.mjs"),
        timeoutMs: 5000,
        memoryMb: 128,
        maxInstances: 1,
        env: {},
      },
    },
    onOutput: (_, text) => printed.push(text),
    onFailure: (_, message) => failures.push(message),
  });
  hosts.push(host);
  const ask = async (event: object) => {
    const outcome = await host.invoke("behave", event, "request-1");
    return outcome.ok ? (JSON.parse(outcome.payload) as Record<string, unknown>) : outcome;
  };
  return { host, ask, printed, failures };
}

test("a warm copy takes the next event", async () => {
  const { ask } = givenHost();
  expect(await ask({ do: "echo", text: "é\u{1f600}" })).toEqual({
    event: { do: "echo", text: "é\u{1f600}" },
    invocations: 1,
  });
  expect(await ask({ do: "echo" })).toMatchObject({ invocations: 2 });
});

test("a function sees its own environment and nothing of the host's", async () => {
  const { ask } = givenHost();
  expect(await ask({ do: "env" })).toEqual({ ONLY: "this" });
});

test("the context knows the request and the time that is left", async () => {
  const { ask } = givenHost();
  const context = await ask({ do: "context" });
  expect(context).toMatchObject({ requestId: "request-1", name: "behave" });
  expect("remainingMs" in context && context["remainingMs"]).toBeGreaterThan(4000);
});

test.each([
  ["throw", "threw", "TypeError: as asked"],
  ["exit", "crash", "ended by itself with code 3"],
  ["crash", "crash", "outside of the invocation"],
  ["large", "too_large", "more than 6291556 bytes"],
  ["loop", "timeout", "took longer than 1 s"],
  ["hang", "timeout", "took longer than 1 s"],
  ["memory", "crash", "memory"],
])("after %s the invocation has failed and the next one works", async (behaviour, failure, message) => {
  const { ask, failures } = givenHost({ timeoutMs: behaviour === "memory" ? 20_000 : 1000, memoryMb: 32 });
  expect(await ask({ do: behaviour })).toMatchObject({ ok: false, failure });
  expect(failures).toEqual([expect.stringContaining(message)]);
  expect(await ask({ do: "echo" })).toMatchObject({ event: { do: "echo" } });
});

test("a copy that crashed between two events takes no further one", async () => {
  const { ask, printed } = givenHost();
  await ask({ do: "crash later" });
  await expect.poll(() => printed.join("")).toContain("outside of the invocation");
  expect(await ask({ do: "echo" })).toMatchObject({ invocations: 1 });
});

test("a file without a handler fails the invocation and says so", async () => {
  const { host } = givenHost();
  const outcome = await host.invoke("broken", {});
  expect(outcome).toMatchObject({ ok: false, failure: "crash" });
  expect(outcome).toMatchObject({ message: expect.stringContaining("exports no function named handler") });
});

test("as many copies run at once as the limit says, and not one more", async () => {
  const { ask } = givenHost({ maxInstances: 2 });
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask({ do: "wait", ms: 300 })));
  // Four events on two copies: each copy has counted to two.
  expect(answers.map((answer) => ("invocations" in answer ? answer["invocations"] : answer)).sort()).toEqual([
    1, 1, 2, 2,
  ]);
});

test("what a function prints is handed on", async () => {
  const { ask, printed } = givenHost();
  await ask({ do: "print" });
  await expect.poll(() => printed.join("")).toContain("said");
});

test("stopping waits for what runs and refuses what comes", async () => {
  const { host, ask } = givenHost();
  await ask({ do: "echo" });
  const running = ask({ do: "wait", ms: 200 });
  const stopped = host.stop(5000);
  expect(await host.invoke("behave", { do: "echo" })).toMatchObject({ ok: false });
  expect(await running).toEqual({ invocations: 2 });
  await stopped;
});

test("stopping ends what does not end by itself", async () => {
  const { host, ask } = givenHost();
  await ask({ do: "echo" });
  const running = ask({ do: "loop" });
  await host.stop(50);
  expect(await running).toMatchObject({ ok: false, failure: "crash" });
});
