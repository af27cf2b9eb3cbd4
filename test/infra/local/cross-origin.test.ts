import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type Gateway } from "../../../infra/local/gateway/http-gateway.ts";

const APP = "https://app.example";
const OTHER = "https://other.example";

let open: Gateway;
let closed: Gateway;
const called: string[] = [];

beforeAll(async () => {
  const rules = {
    port: 0,
    functions: { memos: { routes: [{ method: "PUT", path: "/api/memos/{id}", auth: "key" } as const] } },
    authorizer: "authorizer",
    host: {
      async invoke(name: string) {
        called.push(name);
        if (name === "authorizer") return { ok: true, payload: '{"isAuthorized":true}' } as const;
        return { ok: false, failure: "crash", message: "crashed" } as const;
      },
    },
  };
  open = await startGateway({ ...rules, corsOrigins: [APP] });
  closed = await startGateway(rules);
});
afterAll(() => Promise.all([open.stop(), closed.stop()]));

const ask = async (gateway: Gateway, method: string, path: string, headers: Record<string, string>) => {
  const answer = await fetch(`${gateway.url}${path}`, { method, headers });
  return { status: answer.status, headers: answer.headers };
};

/** As a browser asks before it sends a PUT with a key. */
const preflight = (gateway: Gateway, origin: string) =>
  ask(gateway, "OPTIONS", "/api/memos/memo_x", {
    origin,
    "access-control-request-method": "PUT",
    "access-control-request-headers": "authorization,x-mythos-session",
  });

const corsNames = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control"));

test("F63: a preflight of a named origin is answered without a key, and by no function", async () => {
  const { status, headers } = await preflight(open, APP);
  expect(status).toBe(204);
  expect(headers.get("access-control-allow-origin")).toBe(APP);
  expect(headers.get("access-control-allow-methods")).toContain("PUT");
  expect(headers.get("access-control-allow-headers")).toContain("authorization");
  expect(headers.get("access-control-allow-headers")).toContain("x-mythos-session");
  expect(headers.has("access-control-allow-credentials")).toBe(false);
  expect(called).toEqual([]);
});

test.each([
  ["PUT", "/api/memos/memo_x", 500],
  ["GET", "/nothing", 404],
  ["PATCH", "/api/memos/memo_x", 405],
])("F63: errors carry the header too: %s %s is %i", async (method, path, status) => {
  const answer = await ask(open, method, path, { origin: APP });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("access-control-allow-origin")).toBe(APP);
  expect(answer.headers.get("access-control-expose-headers")).toContain("x-mythos-session-warning");
  expect(answer.headers.get("vary")).toBe("origin");
});

test("F63: another origin is told nothing, and no origin is where none is named", async () => {
  for (const [gateway, origin] of [
    [open, OTHER],
    [open, "null"],
    [open, `${APP}.evil.example`],
    [closed, APP],
  ] as const) {
    expect(corsNames((await preflight(gateway, origin)).headers)).toEqual([]);
    expect(corsNames((await ask(gateway, "GET", "/nothing", { origin })).headers)).toEqual([]);
  }
  expect((await preflight(closed, APP)).status).toBe(405);
});
