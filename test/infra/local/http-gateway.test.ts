import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { startGateway, type Gateway } from "../../../infra/local/gateway/http-gateway.ts";
import type { Outcome } from "../../../infra/local/functions/function-instance.ts";
import type { Route } from "../../../infra/topology.ts";

const open = (method: Route["method"], path: string): Route => ({ method, path, auth: "none" });
const FUNCTIONS = {
  memos: {
    routes: [
      open("GET", "/api/memos"),
      open("POST", "/api/memos"),
      open("GET", "/api/memos/{id}"),
      open("DELETE", "/api/memos/{id}"),
      open("GET", "/api/memos/{id}/versions/{version}"),
    ],
  },
  importer: { routes: [open("POST", "/api/memos/import"), open("GET", "/api/memos/import")] },
  guarded: { routes: [{ method: "GET", path: "/guarded", auth: "key" } as const] },
};

const gateways: Gateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop();
});

type Called = { name: string; event: Record<string, unknown> };

async function givenGateway(answers: Record<string, unknown> = {}) {
  const called: Called[] = [];
  const gateway = await startGateway({
    port: 0,
    functions: FUNCTIONS,
    authorizer: "authorizer",
    host: {
      invoke: async (name, event): Promise<Outcome> => {
        called.push({ name, event: event as Called["event"] });
        const answer = name in answers ? answers[name] : { statusCode: 200, body: "{}" };
        if (answer === "crash") return { ok: false, failure: "crash", message: "crashed with a secret" };
        return { ok: true, payload: JSON.stringify(answer) };
      },
    },
  });
  gateways.push(gateway);
  return { ...gateway, called };
}

/** A request with exactly these headers: fetch sets some of its own and refuses others. */
const ask = (url: string, method: string, headers: Record<string, string | string[]>, body = "") =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    asked.on("error", reject).end(body);
  });

test("a function gets the event of an HTTP API with payload 2.0", async () => {
  const { url, port, called } = await givenGateway();
  await ask(`${url}/api/memos/a%2Fb%20%C3%A9/versions/7?tag=x&tag=y&q=a+b%26c`, "GET", {
    "X-Mythos-Session": "ses_1",
    Cookie: "a=1; b=2",
    "User-Agent": "test",
    "X-Many": ["1", "2"],
  });
  expect(called).toHaveLength(1);
  expect(called[0]?.name).toBe("memos");
  const { requestContext, ...event } = called[0]!.event;
  expect(event).toEqual({
    version: "2.0",
    routeKey: "GET /api/memos/{id}/versions/{version}",
    rawPath: "/api/memos/a%2Fb%20%C3%A9/versions/7",
    rawQueryString: "tag=x&tag=y&q=a+b%26c",
    headers: {
      "x-mythos-session": "ses_1",
      "user-agent": "test",
      "x-many": "1,2",
      host: `127.0.0.1:${port}`,
      connection: "close",
    },
    cookies: ["a=1", "b=2"],
    queryStringParameters: { tag: "x,y", q: "a b&c" },
    pathParameters: { id: "a/b é", version: "7" },
    isBase64Encoded: false,
  });
  expect(requestContext).toMatchObject({
    http: { method: "GET", sourceIp: "127.0.0.1", userAgent: "test", protocol: "HTTP/1.1" },
    routeKey: "GET /api/memos/{id}/versions/{version}",
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    stage: "$default",
    time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
    timeEpoch: expect.any(Number),
  });
  expect(requestContext).not.toHaveProperty("authorizer");
});

test("a JSON body passes as it was sent, anything that is no UTF-8 text in base64", async () => {
  const { url, called } = await givenGateway();
  const text = '{ "n": 9007199254740993, "é": "\u{1f600}" }';
  await ask(`${url}/api/memos`, "POST", { "content-type": "application/json" }, text);
  expect(called[0]?.event).toMatchObject({ body: text, isBase64Encoded: false });
  await ask(`${url}/api/memos`, "POST", { "content-type": "application/x-www-form-urlencoded" }, "a=1");
  expect(called[1]?.event).toMatchObject({ body: btoa("a=1"), isBase64Encoded: true });
  await fetch(`${url}/api/memos`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Uint8Array([0x7b, 0xff]),
  });
  expect(called[2]?.event).toMatchObject({ body: "e/8=", isBase64Encoded: true });
});

test("a fixed path is preferred to one with a parameter, also for another method of it", async () => {
  const { url, called } = await givenGateway();
  await ask(`${url}/api/memos/import`, "GET", {});
  await ask(`${url}/api/memos/import`, "POST", {});
  await ask(`${url}/api/memos/other`, "GET", {});
  expect(called.map(({ name, event }) => [name, event["routeKey"]])).toEqual([
    ["importer", "GET /api/memos/import"],
    ["importer", "POST /api/memos/import"],
    ["memos", "GET /api/memos/{id}"],
  ]);
});

test.each(["/", "/api", "/api/memos/", "/api/memos/%ff", "/api/memos/a/b", "//api/memos", "/API/memos"])(
  "nothing is at %s",
  async (path) => {
    const { url, called } = await givenGateway();
    const { status, headers, body } = await ask(`${url}${path}`, "GET", {});
    expect(status).toBe(404);
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(JSON.parse(body)).toMatchObject({ code: "not_found", status: 404, path });
    expect(called).toEqual([]);
  },
);

test("a known path with another method names the methods it takes", async () => {
  const { url } = await givenGateway();
  const { status, headers, body } = await ask(`${url}/api/memos/memo_1`, "PUT", {});
  expect(status).toBe(405);
  expect(headers["allow"]).toBe("DELETE, GET");
  expect(JSON.parse(body)).toMatchObject({ code: "method_not_allowed", allowed: ["DELETE", "GET"] });
});

test("a body above 6 MB is refused with its size, and the connection's other end sees the answer", async () => {
  const { url, called } = await givenGateway();
  const json = { "content-type": "application/json" };
  const fits = await ask(`${url}/api/memos`, "POST", json, "x".repeat(6 * 1024 * 1024));
  expect(fits.status).toBe(200);
  const { status, body } = await ask(`${url}/api/memos`, "POST", json, "x".repeat(6 * 1024 * 1024 + 1));
  expect(status).toBe(413);
  expect(JSON.parse(body)).toMatchObject({ code: "body_too_large", limit: 6291456, actual: 6291457 });
  expect(called).toHaveLength(1);
});

test.each(["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "[::1]"])(
  "a request for the host %s is refused",
  async (host) => {
    const { url, called } = await givenGateway();
    expect((await ask(`${url}/api/memos`, "GET", { host })).status).toBe(403);
    expect(called).toEqual([]);
  },
);

test("each name of the loopback is served", async () => {
  const { url, port } = await givenGateway();
  for (const host of ["127.0.0.1", "localhost", "LocalHost", "[::1]"]) {
    expect((await ask(`${url}/api/memos`, "GET", { host: `${host}:${port}` })).status).toBe(200);
  }
});

test("what the authorizer found goes on to the function", async () => {
  const { url, called } = await givenGateway({
    authorizer: { isAuthorized: true, context: { principal: '{"uid":"owner"}' } },
  });
  await ask(`${url}/guarded?x=1`, "GET", { authorization: "Bearer mk_1" });
  expect(called.map(({ name }) => name)).toEqual(["authorizer", "guarded"]);
  expect(called[0]?.event).toMatchObject({
    version: "2.0",
    type: "REQUEST",
    routeKey: "GET /guarded",
    headers: { authorization: "Bearer mk_1" },
    queryStringParameters: { x: "1" },
    requestContext: { http: { method: "GET", path: "/guarded" } },
  });
  expect(called[1]?.event["requestContext"]).toMatchObject({
    authorizer: { lambda: { principal: '{"uid":"owner"}' } },
  });
});

test.each([
  [{ isAuthorized: false }, 403],
  [null, 403],
  ["crash", 500],
])(
  "an authorizer that answers %j makes it %i and the function is not called",
  async (authorizer, expected) => {
    const { url, called } = await givenGateway({ authorizer });
    expect((await ask(`${url}/guarded`, "GET", {})).status).toBe(expected);
    expect(called.map(({ name }) => name)).toEqual(["authorizer"]);
  },
);

test.each([
  ["a full answer", { statusCode: 201, headers: { "X-A": 1 }, cookies: ["a=1", "b=2"], body: "é" }, 201, "é"],
  ["base64", { statusCode: 200, isBase64Encoded: true, body: btoa("plain") }, 200, "plain"],
  ["no body", { statusCode: 204 }, 204, ""],
  ["a plain string", "text", 200, "text"],
  ["an object without a status", { a: 1 }, 200, '{"a":1}'],
  ["nothing", null, 200, "null"],
])("%s becomes the same over HTTP", async (_, memos, status, body) => {
  const { url } = await givenGateway({ memos });
  const answered = await ask(`${url}/api/memos`, "GET", {});
  expect(answered).toMatchObject({ status, body });
  expect(answered.headers["x-a"]).toBe(status === 201 ? "1" : undefined);
  expect(answered.headers["set-cookie"]).toEqual(status === 201 ? ["a=1", "b=2"] : undefined);
});

test.each([
  ["crashes", "crash"],
  ["answers a status that is none", { statusCode: 9999 }],
  ["answers a header that is none", { statusCode: 200, headers: { a: "b\nc" } }],
])("a function that %s makes a 500 without its text, and the next request is served", async (_, memos) => {
  const { url } = await givenGateway({ memos });
  const { status, body } = await ask(`${url}/api/memos`, "GET", {});
  expect(status).toBe(500);
  expect(body).not.toContain("secret");
  expect((await ask(`${url}/api/memos/import`, "GET", {})).status).toBe(200);
});

test("a client that leaves while it sends does no harm", async () => {
  const { url, port, called } = await givenGateway();
  await new Promise<void>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`POST /api/memos HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 99\r\n\r\nhalf`);
      socket.end(() => socket.destroy());
    });
    socket.on("close", () => resolve());
  });
  expect((await ask(`${url}/api/memos`, "GET", {})).status).toBe(200);
  expect(called).toHaveLength(1);
});

test("a port that is taken is an error, not a crash", async () => {
  const { port } = await givenGateway();
  const second = startGateway({
    port,
    functions: {},
    authorizer: "none",
    host: { invoke: async () => never() },
  });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
});

function never(): never {
  throw new Error("nothing is invoked here");
}
