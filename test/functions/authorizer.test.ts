import { afterAll, expect, test } from "vitest";
import { createHandler } from "../../functions/authorizer.ts";
import { peppersFrom } from "../../functions/key-wiring.ts";
import type { HttpEvent } from "../../functions/middleware/http-event.ts";
import { httpHandler } from "../../functions/middleware/http-handler.ts";
import { route } from "../../functions/middleware/route.ts";
import { FUNCTIONS, type FunctionDeclaration } from "../../infra/topology.ts";
import { mintKey } from "../../lib/api-keys/keys.ts";
import { peppersOf } from "../../lib/api-keys/pepper.ts";
import { createKeyStore } from "../../lib/api-keys/store.ts";
import { AppError } from "../../lib/core/errors.ts";
import { randomIds, randomSecret } from "../../lib/core/ids.ts";
import { testClock } from "../support/clock.ts";
import { startEngine } from "../support/engine.ts";
import { httpEvent, restEvent } from "../support/http-event.ts";
import { countingIds } from "../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();
const keys = createKeyStore(engine.doc, engine.tables);
const peppers = peppersOf("pepper");
const authorize = createHandler({ keys, clock, peppers: async () => peppers });
const { key } = await mintKey(
  { keys, peppers, clock, ids: countingIds(), secret: randomSecret },
  { ownerUid: "ana", uid: "ana", username: "ana", kind: "agent", label: "l", scopes: ["runs:read"] },
);

const run = async () => ({ status: 200, body: {} });
const api = httpHandler(
  { clock },
  {
    "GET /api/runs": route({ scope: "runs:read", run }),
    "POST /api/holds/{id}/decision": route({ scope: "holds:decide", run }),
  },
);

/** A request as the gateway passes it on: first to the authorizer, then with its context to the handler. */
async function through(headers: Record<string, string>, routeKey = "GET /api/runs") {
  const event = httpEvent({ route: routeKey, headers, requestId: "same" });
  const { context } = await authorize(event);
  return api({ ...event, requestContext: { ...event.requestContext, authorizer: { lambda: context } } });
}

test.each([
  { authorization: `Bearer ${key}` },
  { Authorization: `bearer ${key}` },
  { "x-api-key": key },
  { "X-API-Key": key },
])("a good key is found in %j", async (headers) => {
  expect((await through(headers as Record<string, string>)).statusCode).toBe(200);
});

test("keys of any length and of many bytes are all 401 with one body", async () => {
  const ofEqualLength = "é".repeat(key.length);
  const bodies = new Set<string>();
  for (const presented of [
    "",
    "x",
    "x".repeat(10_000),
    ofEqualLength,
    `${key}x`,
    `mk_key_9_${"a".repeat(43)}`,
  ]) {
    for (const headers of [{ authorization: `Bearer ${presented}` }, { "x-api-key": presented }]) {
      const answer = await through(headers as Record<string, string>);
      expect(answer.statusCode).toBe(401);
      bodies.add(answer.body);
    }
  }
  bodies.add((await through({})).body);
  bodies.add((await through({ authorization: `Basic ${key}` })).body);
  expect(bodies.size).toBe(1);
});

test("the answer for one route is the answer for every route, so a cached one opens nothing", async () => {
  const headers = { authorization: `Bearer ${key}` };
  const reading = await authorize(httpEvent({ route: "GET /api/runs", headers }));
  const deciding = await authorize(
    httpEvent({ route: "POST /api/holds/{id}/decision", params: { id: "h" }, headers }),
  );
  expect(deciding).toEqual(reading);
  const event = httpEvent({ route: "POST /api/holds/{id}/decision", params: { id: "h" }, headers });
  const answer = await api({
    ...event,
    requestContext: { ...event.requestContext, authorizer: { lambda: reading.context } },
  });
  expect(answer.statusCode).toBe(403);
});

test("F59: whatever the route and the shape of the event, the answer is one and the handler refuses", async () => {
  const headers = { "X-Api-Key": key };
  const answers = new Set<string>();
  for (const [, { routes = [] }] of Object.entries<FunctionDeclaration>(FUNCTIONS)) {
    for (const { method, path } of routes) {
      const request = { route: `${method} ${path}`, headers, requestId: "same" };
      answers.add(JSON.stringify(await authorize(httpEvent(request))));
      answers.add(JSON.stringify(await authorize(restEvent(request))));
    }
  }
  expect(answers.size).toBe(1);
  const [cached = ""] = answers;
  const { context } = JSON.parse(cached);
  const deciding = { route: "POST /api/holds/{id}/decision", params: { id: "h" }, headers };
  for (const event of [httpEvent(deciding), restEvent(deciding)]) {
    const isV2 = "version" in event;
    const authorizer = isV2 ? { lambda: context } : context;
    const answer = await api({
      ...event,
      requestContext: { ...event.requestContext, authorizer },
    } as HttpEvent);
    expect([isV2, answer.statusCode]).toEqual([isV2, 403]);
  }
});

test("F61: a hundred thousand bad keys in one process are all 401 with one body", async () => {
  const started = performance.now();
  const bodies = new Set<string>();
  const contexts = new Set<string>();
  const garbage = [
    "",
    "x",
    "é".repeat(key.length),
    "x".repeat(10_000),
    `${key}x`,
    "\ud83d\udd11".repeat(43),
    "\u0000",
  ];
  for (let n = 0; n < 100_000; n++) {
    // Most are garbage of some length; every thousandth has the form of a key and is looked up.
    const presented =
      n % 1000 === 0
        ? `mk_key_${n}_${"a".repeat(43)}`
        : `${garbage[n % garbage.length]}${"k".repeat(n % 50)}`;
    const { context } = await authorize({ headers: { "x-api-key": presented } });
    contexts.add(JSON.stringify(context));
    if (n % 100 !== 0) continue;
    const event = httpEvent({ route: "GET /api/runs", requestId: "same" });
    const answer = await api({
      ...event,
      requestContext: { ...event.requestContext, authorizer: { lambda: context } },
    });
    expect(answer.statusCode).toBe(401);
    bodies.add(answer.body);
  }
  expect([...contexts]).toEqual(['{"principal":""}']);
  expect(bodies.size).toBe(1);
  expect(performance.now() - started).toBeLessThan(60_000);
}, 90_000);

test("the use of a key is noted once, and a key whose use cannot be noted still opens", async () => {
  const { key: fresh, record } = await mintKey(
    { keys, peppers, clock, ids: randomIds, secret: randomSecret },
    { ownerUid: "ana", uid: "ana", username: "ana", kind: "agent", label: "l", scopes: ["runs:read"] },
  );
  const lines: string[] = [];
  const log = { info: () => {}, warn: (line: string) => lines.push(line), error: () => {} };
  const failing = {
    ...keys,
    async stampUse(): Promise<boolean> {
      throw new Error("throttled");
    },
  };
  const unable = createHandler({ keys: failing, clock, peppers: async () => peppers, log });
  expect((await unable({ headers: { "x-api-key": fresh } })).context.principal).toContain(record.keyId);
  expect(lines).toEqual(["use of a key not noted"]);
  engine.resetCounts();
  for (let n = 0; n < 5; n++) await authorize({ headers: { "x-api-key": fresh } });
  expect(engine.counts()).toEqual({ GetItem: 5, UpdateItem: 1 });
});

test("peppers that cannot be read make the request 503 and are asked for again", async () => {
  let fails = true;
  const source = peppersFrom(async () => {
    if (fails) throw new Error("no SSM");
    return peppers;
  }, clock);
  const handler = createHandler({ keys, clock, peppers: source });
  expect((await handler({ headers: { "x-api-key": key } })).context).toMatchObject({ unavailable: "1" });
  fails = false;
  expect((await handler({ headers: { "x-api-key": key } })).context.principal).not.toBe("");
});

test("a warm container learns of a rotation from the first key of the new pepper", async () => {
  let now = peppers;
  let asked = 0;
  const source = peppersFrom(async () => {
    asked++;
    return now;
  }, clock);
  const handler = createHandler({ keys, clock, peppers: source });
  const is = async (presented: string) =>
    (await handler({ headers: { "x-api-key": presented } })).context.principal !== "";
  expect(await is(key)).toBe(true);
  now = peppersOf("newer", "pepper");
  const { key: newKey } = await mintKey(
    { keys, peppers: now, clock, ids: randomIds, secret: randomSecret },
    { ownerUid: "ana", uid: "ana", username: "ana", kind: "agent", label: "l", scopes: [] },
  );
  // Within the minute of the last look it does not look again.
  expect([await is(newKey), asked]).toEqual([false, 1]);
  clock.advance(60_000);
  expect([await is(newKey), await is(key), asked]).toEqual([true, true, 2]);
  expect([await is("garbage"), asked]).toEqual([false, 2]);
});

test("the context holds texts only and no secret", async () => {
  const { context } = await authorize(httpEvent({ route: "GET /api/runs", headers: { "x-api-key": key } }));
  expect(Object.values(context).every((value) => typeof value === "string")).toBe(true);
  expect(JSON.stringify(context)).not.toContain(key.slice(-43));
});

test("keys that cannot be read make the request 503, never 401 or 403", async () => {
  const broken = createHandler({
    clock,
    peppers: async () => peppers,
    keys: {
      stampUse: keys.stampUse,
      async readKey() {
        throw new AppError("storage_unavailable", "read key failed: InvalidSignatureException", {
          operation: "read key",
          requestId: undefined,
        });
      },
    },
  });
  const event = httpEvent({ route: "GET /api/runs", headers: { "x-api-key": key } });
  const { context, isAuthorized } = await broken(event);
  expect(isAuthorized).toBe(true);
  const answer = await api({
    ...event,
    requestContext: { ...event.requestContext, authorizer: { lambda: context } },
  });
  expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
});
