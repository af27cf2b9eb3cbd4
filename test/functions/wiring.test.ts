import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDoc, createSqs, createSsm, wired } from "../../functions/wiring.ts";
import { createHandler } from "../../functions/http-health.ts";
import { testClock } from "../support/clock.ts";
import { httpEvent } from "../support/http-event.ts";

const sourcesOf = (folder: string) =>
  readdirSync(join(import.meta.dirname, "../..", folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({
      path: `${folder}/${path}`,
      text: readFileSync(join(import.meta.dirname, "../..", folder, path), "utf8"),
    }));

test.each([
  ["DynamoDB", async () => createDoc(), { attempts: 3, ms: 3000 }],
  ["SQS", async () => createSqs(), { attempts: 3, ms: 3000 }],
  ["SSM", async () => createSsm(), { attempts: 2, ms: 1000 }],
] as const)("F26: a call to %s ends by itself", async (_, create, { attempts, ms }) => {
  const client = await create();
  expect(await client.config.maxAttempts()).toBe(attempts);
  // The handler keeps its settings as a promise until the first request.
  const requestHandler = client.config.requestHandler as unknown as { configProvider: Promise<object> };
  const settings = await requestHandler.configProvider;
  expect(settings).toMatchObject({
    requestTimeout: ms,
    throwOnRequestTimeout: true,
    connectionTimeout: 1000,
  });
});

test("F26: no function makes a client of its own, without those bounds", () => {
  const making = [...sourcesOf("functions"), ...sourcesOf("lib")]
    .filter(({ path }) => !path.startsWith("lib/cli/"))
    .filter(({ text }) => /\bnew [A-Z]\w*Client\(/.test(text));
  expect(making.map(({ path }) => path)).toEqual(["functions/wiring.ts"]);
  const made = [...making[0]!.text.matchAll(/new [A-Z]\w*Client\((\w*)/g)].map(([, argument]) => argument);
  expect(new Set(made)).toEqual(new Set(["clientSettings"]));
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
