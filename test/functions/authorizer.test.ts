import { afterAll, expect, test } from "vitest";
import { createHandler } from "../../functions/authorizer.ts";
import { httpHandler } from "../../functions/middleware/http-handler.ts";
import { route } from "../../functions/middleware/route.ts";
import { mintKey } from "../../lib/api-keys/keys.ts";
import { peppersOf } from "../../lib/api-keys/pepper.ts";
import { createKeyStore } from "../../lib/api-keys/store.ts";
import { AppError } from "../../lib/core/errors.ts";
import { randomSecret } from "../../lib/core/ids.ts";
import { testClock } from "../support/clock.ts";
import { startEngine } from "../support/engine.ts";
import { httpEvent } from "../support/http-event.ts";
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
