import * as z from "zod";
import { expect, test } from "vitest";
import { httpHandler } from "../../../functions/middleware/http-handler.ts";
import { openRoute, route } from "../../../functions/middleware/route.ts";
import { testClock } from "../../support/clock.ts";
import { agentOf, httpEvent } from "../../support/http-event.ts";

const Body = z.strictObject({ a: z.string(), list: z.array(z.strictObject({ "x/y": z.int() })).optional() });
const handler = httpHandler(
  { clock: testClock() },
  {
    "POST /things": route({
      scope: "memos:write",
      body: Body,
      maxBodyBytes: 100,
      run: async ({ body, bodyText }) => ({ status: 201, body: { a: body.a, bodyText } }),
    }),
    "POST /large": route({
      scope: "memos:write",
      body: Body,
      run: async ({ body }) => ({ status: 200, body: { length: body.a.length } }),
    }),
    "POST /end": route({
      scope: null,
      body: z.strictObject({ why: z.string() }).optional(),
      run: async ({ body }) => ({ status: 200, body: { why: body?.why ?? null } }),
    }),
    "GET /open": openRoute({ run: async ({ query }) => ({ status: 200, body: query }) }),
  },
);

async function post(body: unknown, headers: Record<string, string> = {}, path = "/things") {
  const answer = await handler(
    httpEvent({ route: `POST ${path}`, principal: agentOf("ana"), body, headers }),
  );
  return { ...answer, json: JSON.parse(answer.body) };
}

test("a body of the right form reaches the route, parsed and as the caller wrote it", async () => {
  const answer = await post('{ "a": "é" }');
  expect(answer.statusCode).toBe(201);
  expect(answer.json).toEqual({ a: "é", bodyText: '{ "a": "é" }' });
  expect(answer.headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-request-id": expect.stringMatching(/^req-\d+$/),
  });
});

test.each([
  ['{"a":', "line 1, column 6"],
  ["x", "line 1, column 1"],
  ['{"a": "b"\n  "list": []}', "line 2, column 3"],
  ['{"a": "never closed', "line 1, column 20"],
  ["[1, 2}", "line 1, column 6"],
])("JSON that breaks off is 400 with its place: %s", async (text, place) => {
  const answer = await post(text);
  expect(answer.statusCode).toBe(400);
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expect(answer.json).toMatchObject({ code: "malformed_json", status: 400, at: place });
});

test("a long body that breaks off near its end is placed there", async () => {
  const text = `{"a": "${"b".repeat(200_000)}", oops}`;
  const answer = await post(text, {}, "/large");
  expect(answer.json).toMatchObject({ code: "malformed_json", at: `line 1, column ${text.length - 4}` });
});

test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])(
  "a body of type %s is 415",
  async (type) => {
    const answer = await post('{"a":"b"}', { "Content-Type": type });
    expect(answer.statusCode).toBe(415);
    expect(answer.json).toMatchObject({ code: "unsupported_media_type", received: type });
  },
);

test.each(["application/json", "Application/JSON; charset=utf-8", "application/problem+json"])(
  "a body of type %s is read",
  async (type) => {
    expect((await post('{"a":"b"}', { "CONTENT-TYPE": type })).statusCode).toBe(201);
  },
);

test("every failing place is named by a JSON pointer, an unknown member by its own", async () => {
  const answer = await post({ a: 1, list: [{ "x/y": "no" }, { "x/y": 2, more: 1 }] });
  expect(answer.statusCode).toBe(400);
  expect(answer.json.code).toBe("invalid_request");
  expect(answer.json.failing.map((one: { pointer: string }) => one.pointer)).toEqual([
    "/a",
    "/list/0/x~1y",
    "/list/1/more",
  ]);
});

test("an absent body is for the schema to judge", async () => {
  expect((await post(undefined)).json).toMatchObject({ code: "invalid_request", failing: [{ pointer: "" }] });
  expect((await post(undefined, {}, "/end")).json).toEqual({ why: null });
});

test("the limit counts UTF-8 bytes, and a body exactly at it passes", async () => {
  const around = '{"a":""}'.length;
  const euros = "€".repeat(30);
  const atLimit = JSON.stringify({ a: euros + "x".repeat(100 - around - 90) });
  expect((await post(atLimit)).statusCode).toBe(201);
  const over = JSON.stringify({ a: euros + "xxx" });
  const answer = await post(over);
  expect(answer.statusCode).toBe(413);
  expect(answer.json).toMatchObject({ code: "body_too_large", limit: 100, actual: 101 });
});

test("without a limit of its own a route reads 256 KB and no more", async () => {
  const around = '{"a":""}'.length;
  const body = (bytes: number) => ({ a: "x".repeat(bytes - around) });
  expect((await post(body(262_144), {}, "/large")).statusCode).toBe(200);
  expect((await post(body(262_145), {}, "/large")).json).toMatchObject({ limit: 262_144, actual: 262_145 });
});

test("a body in base64 is decoded, and counted decoded", async () => {
  const event = httpEvent({ route: "POST /things", principal: agentOf("ana"), body: "" });
  const send = (bytes: Uint8Array) =>
    handler({
      ...event,
      headers: { "content-type": "application/json" },
      body: Buffer.from(bytes).toString("base64"),
      isBase64Encoded: true,
    });
  const text = JSON.stringify({ a: "€".repeat(30) });
  const answer = await send(Buffer.from(text));
  expect(JSON.parse(answer.body).a).toBe("€".repeat(30));
  expect((await send(Buffer.from([0x22, 0xff, 0x22]))).statusCode).toBe(400);
});

test("an open route needs no key", async () => {
  const answer = await handler(httpEvent({ route: "GET /open", query: { q: "1" } }));
  expect(answer).toMatchObject({ statusCode: 200, body: '{"q":"1"}' });
});

test("a body that nests too deep is 400 with the limit, before a schema's recursion runs out of stack", async () => {
  const free = httpHandler(
    { clock: testClock() },
    {
      "POST /free": route({
        scope: null,
        body: z.strictObject({ payload: z.record(z.string(), z.json()) }),
        run: async () => ({ status: 200 }),
      }),
    },
  );
  const nested = (levels: number) => `{"payload":{"x":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
  const send = (body: string) => free(httpEvent({ route: "POST /free", principal: agentOf("ana"), body }));
  expect((await send(nested(150))).statusCode).toBe(200);
  const refused = await send(nested(20_000));
  expect(refused.statusCode).toBe(400);
  expect(JSON.parse(refused.body)).toMatchObject({
    code: "invalid_request",
    failing: [{ message: "nests deeper than 200 levels" }],
  });
});
