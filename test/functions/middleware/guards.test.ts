import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { httpHandler } from "../../../functions/middleware/http-handler.ts";
import { route } from "../../../functions/middleware/route.ts";
import { parseSignIn } from "../../../functions/middleware/sign-in.ts";
import { createLimiter } from "../../../lib/rate-limits/limiter.ts";
import { createRateStore } from "../../../lib/rate-limits/store.ts";
import { createRepeatStore } from "../../../lib/repeats/store.ts";
import { SCOPES, type Principal } from "../../../lib/core/principal.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { agentOf, httpEvent, restEvent } from "../../support/http-event.ts";
import { countingIds } from "../../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const clock = testClock();

const SIGN_IN = {
  issuer: "https://issuer.example",
  audience: ["steward-page"],
  ownerClaim: "custom:owner",
  ownerUid: null,
  seed: "seed",
};
const seen: Principal[] = [];
const Place = z.strictObject({ n: z.int() });
function handlerWith(limit: number, signIn: object = SIGN_IN) {
  return httpHandler(
    {
      clock,
      limiter: createLimiter({ rates: createRateStore(engine.doc, engine.tables) }, limit),
      repeating: { repeats: createRepeatStore(engine.doc, engine.tables), clock, ids: countingIds() },
      signIn: parseSignIn(JSON.stringify(signIn)),
    },
    {
      "POST /api/things/{id}": route({
        scope: "memos:write",
        body: z.strictObject({ a: z.string() }),
        repeats: {},
        async run({ principal }) {
          seen.push(principal);
          return { status: 201, body: { n: seen.length } };
        },
      }),
      "GET /api/things": route({
        scope: "memos:read",
        run: async ({ paging }) => ({ status: 200, body: paging.page([paging.after(Place)], { n: 7 }) }),
      }),
      "POST /api/refused": route({ scope: "keys:admin", run: async () => ({ status: 200 }) }),
    },
  );
}
const handler = handlerWith(600);
const POST = "POST /api/things/{id}";
const request = (ownerUid: string, more: object = {}) => ({
  route: POST,
  params: { id: "x" },
  principal: agentOf(ownerUid),
  body: { a: "b" },
  ...more,
});
const jsonOf = (answer: { body: string }) => JSON.parse(answer.body);

describe("the limit of writes", () => {
  test("is told as 429 with the limit and when to come again; readers and other keys go on", async () => {
    const limited = handlerWith(5);
    for (let n = 0; n < 5; n++) expect((await limited(httpEvent(request("lia")))).statusCode).toBe(201);
    const answer = await limited(httpEvent(request("lia")));
    expect(answer.statusCode).toBe(429);
    expect(answer.headers["retry-after"]).toBe("60");
    expect(jsonOf(answer)).toMatchObject({
      code: "rate_limited",
      limit: 5,
      perSeconds: 60,
      retryAfterSec: 60,
    });
    const reading = { route: "GET /api/things", principal: agentOf("lia") };
    expect((await limited(httpEvent(reading))).statusCode).toBe(200);
    expect((await limited(httpEvent(request("max")))).statusCode).toBe(201);
    clock.advance(60_000);
    expect((await limited(httpEvent(request("lia")))).statusCode).toBe(201);
  });

  test("counts what is refused for its scope or its form, and nobody who is not known", async () => {
    const limited = handlerWith(2);
    const known = { route: "POST /api/refused", principal: agentOf("nia") };
    expect((await limited(httpEvent(known))).statusCode).toBe(403);
    expect((await limited(httpEvent(request("nia", { body: "{" })))).statusCode).toBe(400);
    expect((await limited(httpEvent(known))).statusCode).toBe(429);
    for (let n = 0; n < 5; n++) {
      expect((await limited(httpEvent({ route: "POST /api/refused" }))).statusCode).toBe(401);
    }
  });
});

describe("an Idempotency-Key", () => {
  test.each([
    ["v2", httpEvent],
    ["v1", restEvent],
  ])("F54: is read in any case of its name, in a %s event", async (shape, event) => {
    const send = (name: string) =>
      handler(event(request("ida", { headers: { [name]: `k-${shape}` } })) as Parameters<typeof handler>[0]);
    const first = await send("Idempotency-Key");
    for (const name of ["idempotency-key", "IDEMPOTENCY-KEY"]) {
      const again = await send(name);
      expect([again.statusCode, again.body]).toEqual([201, first.body]);
      expect(again.headers["idempotency-replayed"]).toBe("true");
    }
  });

  test("is of the owner and of what the path names, and a request of the wrong form does not use it up", async () => {
    const headers = { "idempotency-key": "k" };
    const bodies = [
      await handler(httpEvent(request("eva", { headers }))),
      await handler(httpEvent(request("ben", { headers }))),
      await handler(httpEvent(request("eva", { headers, params: { id: "y" } }))),
    ].map(({ body }) => body);
    expect(new Set(bodies).size).toBe(3);
    const wrong = { ...headers, "idempotency-key": "w" };
    expect((await handler(httpEvent(request("eva", { headers: wrong, body: {} })))).statusCode).toBe(400);
    expect((await handler(httpEvent(request("eva", { headers: wrong })))).statusCode).toBe(201);
    const other = await handler(httpEvent(request("eva", { headers, body: { a: "c" } })));
    expect(jsonOf(other)).toMatchObject({ status: 422, code: "idempotency_key_reused" });
  });

  test("a repeat that comes without one is a new request", async () => {
    const first = await handler(httpEvent(request("ora")));
    expect((await handler(httpEvent(request("ora")))).body).not.toBe(first.body);
  });
});

describe("a person who signs in by a token", () => {
  const CLAIMS = {
    iss: "https://issuer.example",
    aud: "steward-page",
    sub: "subject-1",
    email: "ana@example",
    "custom:owner": "ana",
  };
  const signedIn = (claims: Record<string, unknown>, more: Partial<ReturnType<typeof request>> = {}) => {
    const { principal: _principal, ...rest } = { ...request("nobody"), ...more };
    const event = httpEvent({ ...rest, route: rest.route.replace(" /api/", " /steward/api/") });
    return {
      ...event,
      requestContext: { ...event.requestContext, authorizer: { jwt: { claims, scopes: null } } },
    };
  };

  test("is a human of the issuer and subject, in the library that the claim names", async () => {
    expect((await handler(signedIn(CLAIMS))).statusCode).toBe(201);
    const person = seen.at(-1)!;
    expect(person).toMatchObject({ kind: "human", ownerUid: "ana", username: "ana@example", scopes: SCOPES });
    expect(person.principalId).toMatch(/^human:oidc_[0-9a-f]{30}$/);
    expect(person).not.toHaveProperty("keyId");
    await handler(signedIn({ ...CLAIMS, sub: "subject-2" }));
    expect(seen.at(-1)!.uid).not.toBe(person.uid);
    await handler(signedIn({ ...CLAIMS, email: "other@example" }));
    expect(seen.at(-1)!.uid).toBe(person.uid);
  });

  test("is nobody with another issuer, another audience, no subject or no owner", async () => {
    const wrong = [
      { iss: "https://other.example" },
      { aud: "another" },
      { aud: undefined },
      { sub: "" },
      { "custom:owner": undefined },
      { "custom:owner": "" },
      { "custom:owner": "a#b" },
    ];
    for (const each of wrong) {
      expect((await handler(signedIn({ ...CLAIMS, ...each }))).statusCode).toBe(401);
    }
    const access = { ...CLAIMS, aud: undefined, client_id: "steward-page" };
    expect((await handler(signedIn(access))).statusCode).toBe(201);
    expect((await handler(signedIn({ ...CLAIMS, aud: "[x steward-page]" }))).statusCode).toBe(201);
  });

  test("is nobody where signing in is not set up, and no key is believed beside a token", async () => {
    const without = httpHandler(
      { clock },
      { [POST]: route({ scope: null, run: async () => ({ status: 200 }) }) },
    );
    expect((await without(signedIn(CLAIMS))).statusCode).toBe(401);
    const event = signedIn({ ...CLAIMS, aud: "another" });
    const lambda = { principal: JSON.stringify(agentOf("ana")) };
    const authorizer = { ...event.requestContext.authorizer, lambda };
    expect(
      (await handler({ ...event, requestContext: { ...event.requestContext, authorizer } })).statusCode,
    ).toBe(401);
  });

  test("the owner never comes from what the caller wrote", async () => {
    const fixed = handlerWith(600, { ...SIGN_IN, ownerClaim: null, ownerUid: "house" });
    const event = signedIn(CLAIMS, { headers: { ownerUid: "eve", "x-owner": "eve" } } as object);
    await fixed({ ...event, queryStringParameters: { ownerUid: "eve" } });
    expect(seen.at(-1)!.ownerUid).toBe("house");
  });

  test("has cursors that go on for its owner and for no other", async () => {
    const list = { route: "GET /api/things", body: undefined, params: undefined } as object;
    const first = jsonOf(await handler(signedIn(CLAIMS, list)));
    const at = (claims: object) => ({
      ...signedIn({ ...CLAIMS, ...claims }, list),
      queryStringParameters: { cursor: first.nextCursor },
    });
    expect(jsonOf(await handler(at({})))).toMatchObject({ items: [{ n: 7 }] });
    expect((await handler(at({ "custom:owner": "bob" }))).statusCode).toBe(400);
  });
});
