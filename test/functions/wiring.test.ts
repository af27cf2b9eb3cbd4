import { expect, test } from "vitest";
import { createDoc, createSqs, wired } from "../../functions/wiring.ts";
import { createHandler } from "../../functions/http-health.ts";
import { testClock } from "../support/clock.ts";
import { httpEvent } from "../support/http-event.ts";

test.each([
  ["DynamoDB", () => createDoc()],
  ["SQS", () => createSqs()],
])("a call to %s ends by itself", async (_, create) => {
  const client = create();
  expect(await client.config.maxAttempts()).toBe(3);
  // The handler keeps its settings as a promise until the first request.
  const requestHandler = client.config.requestHandler as unknown as { configProvider: Promise<object> };
  const settings = await requestHandler.configProvider;
  expect(settings).toMatchObject({
    requestTimeout: 3000,
    throwOnRequestTimeout: true,
    connectionTimeout: 1000,
  });
});

test("deps are built once, at the first event, and again when that failed", async () => {
  let built = 0;
  const handler = wired(
    (deps: { n: number }) => async (add: number) => deps.n + add,
    () => {
      built++;
      if (built === 1) throw new Error("environment variable X is not set");
      return { n: built };
    },
  );
  expect(built).toBe(0);
  await expect(handler(1)).rejects.toThrow("X");
  expect(await handler(1)).toBe(3);
  expect(await handler(2)).toBe(4);
  expect(built).toBe(2);
});

test("the health route answers without a key and with the release", async () => {
  const answer = await createHandler({ clock: testClock() })(httpEvent({ route: "GET /healthz" }));
  expect(answer.statusCode).toBe(200);
  expect(JSON.parse(answer.body)).toEqual({ status: "ok", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});
