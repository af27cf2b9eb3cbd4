import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { HttpAnswer, HttpEvent } from "../../functions/middleware/http-event.ts";
import { FUNCTIONS, QUEUES, TABLES, type FunctionDeclaration, type Route } from "../../infra/topology.ts";
import { createSession } from "../../lib/sessions/create.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import { startEngine } from "../support/engine.ts";
import { humanOf, httpEvent, restEvent } from "../support/http-event.ts";
import { systemClock } from "../../lib/core/clock.ts";
import { randomIds } from "../../lib/core/ids.ts";

vi.setConfig({ testTimeout: 60_000 });

const engine = await startEngine();
afterAll(async () => {
  vi.unstubAllEnvs();
  await engine.stop();
});

// The handlers themselves, as Lambda loads them: their environment leads to the engine.
for (const [name, { env }] of Object.entries(TABLES))
  vi.stubEnv(env, engine.tables[name as keyof typeof TABLES]);
for (const { env, deadLettersEnv } of Object.values(QUEUES)) {
  for (const each of [env, deadLettersEnv]) vi.stubEnv(each, "http://127.0.0.1:1/0/queue");
}
const SETTINGS = {
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  AWS_REGION: "local",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  POWERTOOLS_LOG_LEVEL: "SILENT",
  MYTHOS_KEY_PEPPER: "pepper",
  MYTHOS_INTERNAL_KEY: "internal",
};
for (const [name, value] of Object.entries(SETTINGS)) vi.stubEnv(name, value);

const principal = humanOf("ana");
const sessions = createSessionStore(engine.doc, engine.tables);
const { sessionId } = await createSession(
  { sessions, clock: systemClock, ids: randomIds },
  { principal, name: "events", purpose: "Be stamped" },
);

type Handler = (event: HttpEvent) => Promise<HttpAnswer>;
const handlers = new Map<string, Handler>();
async function handlerOf(file: string): Promise<Handler> {
  const known = handlers.get(file);
  if (known) return known;
  const { handler } = (await import(join(import.meta.dirname, "../..", file))) as { handler: Handler };
  handlers.set(file, handler);
  return handler;
}

type Row = { file: string; key: string; route: Route };
const ROUTES: Row[] = Object.values<FunctionDeclaration>(FUNCTIONS).flatMap(({ file, routes = [] }) =>
  routes.map((route) => ({ file, key: `${route.method} ${route.path}`, route })),
);
const SHAPES = [
  ["v2", httpEvent],
  ["v1", restEvent],
] as const;

const paramsOf = (path: string): Record<string, string> =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, name === "n" ? "1" : "x"]),
  );
/** With both kinds of keys, so that nothing is refused for the want of one. */
const eventOf = (
  shape: (typeof SHAPES)[number][1],
  { key, route }: Row,
  more: { body?: unknown; headers?: Record<string, string> } = {},
): HttpEvent =>
  shape({
    route: key,
    params: paramsOf(route.path),
    principal: route.auth === "key" ? principal : undefined,
    ...more,
    headers: { "X-Internal-Key": "internal", ...more.headers },
  }) as HttpEvent;

/** What stands in every problem, and the code that this one has. */
const codeOf = (answer: HttpAnswer): string => {
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  return (JSON.parse(answer.body) as { code: string }).code;
};

/** Routes that read a JSON body: nothing else of theirs matters before it. */
const BODY_ROUTES = new Set([
  "POST /api/internal/sessions",
  "POST /api/internal/sessions/{id}/heartbeat",
  "POST /api/internal/sessions/{id}/end",
  "POST /api/memos",
  "POST /api/memos/import",
  "PUT /api/memos/{id}",
  "POST /api/workflows/preview",
  "POST /api/workflows/{idOrCommand}/items",
  "POST /api/keys",
  "POST /api/internal/dead-letters/redrive",
  "POST /api/runs/{id}/fork",
  "POST /api/holds/{id}/decision",
  "POST /api/holds/{id}/take-back",
  "POST /api/holds/reject",
  "POST /api/holds/{id}/snooze",
  "POST /api/edges",
  "POST /api/edges/{id}/answer",
  "POST /api/session-reports/{runId}/nudges",
  "POST /api/session-reports/{runId}/disagreements",
  "PUT /api/workflows/{idOrCommand}/schedules",
]);
const NO_BODY = new Set([
  "POST /api/runs/{id}/cancel",
  "POST /api/runs/{id}/rerun",
  "POST /api/items/{id}/cancel",
  "POST /api/items/{id}/requeue",
  "POST /api/notices/{id}/read",
  "POST /api/sign-in-links",
  "POST /api/edges/{id}/acknowledge",
  "POST /api/edges/{id}/resolve",
  "POST /api/edges/{id}/leave",
  // Its messages have errors of their own; tested with their clients.
  "POST /mcp",
  // Forms; tested with the pages.
  "POST /steward/{path+}",
]);
const WITH_BODY = ROUTES.filter(({ key }) => BODY_ROUTES.has(key));

test("every writing route is known here as one that reads a body or one that does not", () => {
  const unknown = ROUTES.filter(({ route }) => route.method === "POST" || route.method === "PUT").filter(
    ({ key }) => !BODY_ROUTES.has(key) && !NO_BODY.has(key),
  );
  expect(unknown.map(({ key }) => key)).toEqual([]);
  expect(WITH_BODY).toHaveLength(BODY_ROUTES.size);
});

describe.each(SHAPES)("in %s events", (_, shape) => {
  test.each(WITH_BODY)("F57: $key answers a body that breaks off with 400 and its place", async (row) => {
    const handle = await handlerOf(row.file);
    const text = '{"a":';
    for (const isBase64Encoded of [false, true]) {
      const body = isBase64Encoded ? Buffer.from(text).toString("base64") : text;
      const answer = await handle({ ...eventOf(shape, row, { body }), isBase64Encoded });
      expect([answer.statusCode, codeOf(answer)]).toEqual([400, "malformed_json"]);
      expect(JSON.parse(answer.body)).toMatchObject({ at: "line 1, column 6" });
    }
    const binary = { ...eventOf(shape, row, { body: "/////w==" }), isBase64Encoded: true };
    expect(codeOf(await handle(binary))).toBe("malformed_json");
  });

  test.each(WITH_BODY)("F57: $key answers a body of another type with 415", async (row) => {
    const handle = await handlerOf(row.file);
    for (const name of ["Content-Type", "content-type", "CONTENT-TYPE"]) {
      const answer = await handle(eventOf(shape, row, { body: "{}", headers: { [name]: "text/plain" } }));
      expect([answer.statusCode, codeOf(answer)]).toEqual([415, "unsupported_media_type"]);
    }
  });

  test.each(WITH_BODY)(
    "F57: $key answers a body above its limit with 413, however it is encoded",
    async (row) => {
      const handle = await handlerOf(row.file);
      const text = JSON.stringify({ a: "x".repeat(5_900_000) });
      const plain = await handle(eventOf(shape, row, { body: text }));
      const encoded = {
        ...eventOf(shape, row, { body: Buffer.from(text).toString("base64") }),
        isBase64Encoded: true,
      };
      expect([plain.statusCode, codeOf(plain)]).toEqual([413, "body_too_large"]);
      expect(codeOf(await handle(encoded))).toBe("body_too_large");
    },
  );

  test.each(WITH_BODY)("$key reads a body in base64 as the same body in text", async (row) => {
    const handle = await handlerOf(row.file);
    const text = '{"no such member": 1}';
    const answers = [];
    for (const isBase64Encoded of [false, true]) {
      const body = isBase64Encoded ? Buffer.from(text).toString("base64") : text;
      const answer = await handle({ ...eventOf(shape, row, { body }), isBase64Encoded });
      expect(answer.statusCode).toBe(400);
      answers.push({ ...JSON.parse(answer.body), requestId: "" });
    }
    expect(answers[1]).toEqual(answers[0]);
  });

  test.each(ROUTES)("$key answers garbage with no error of ours", async (row) => {
    const handle = await handlerOf(row.file);
    const isRound = row.key === "GET /api/internal/cron/run-workflows" || row.key.includes("dead-letters");
    for (const body of [undefined, "", "null", "[]", '"x"', "{}", "\u0000"]) {
      // These reach queues, which are not there.
      if (isRound) continue;
      const answer = await handle(eventOf(shape, row, { body }));
      expect(answer.statusCode).toBeLessThan(500);
    }
  });

  test.each(ROUTES.filter(({ route }) => route.auth === "key"))(
    "F54: $key finds the session of the header in any case, and stamps it",
    async (row) => {
      const handle = await handlerOf(row.file);
      const count = async () => (await sessions.readTracked(sessionId))?.session.requestCount ?? -1;
      const before = await count();
      const names = ["X-Mythos-Session", "x-mythos-session", "X-MYTHOS-SESSION"];
      for (const name of names) {
        const answer = await handle(eventOf(shape, row, { headers: { [name]: sessionId } }));
        expect(answer.headers).not.toHaveProperty("x-mythos-session-warning");
      }
      expect(await count()).toBe(before + names.length);
    },
  );

  test.each(ROUTES.filter(({ route }) => route.auth === "key"))(
    "$key without a caller is 401, whatever else is sent",
    async (row) => {
      const handle = await handlerOf(row.file);
      const event = shape({ route: row.key, params: paramsOf(row.route.path), body: "{" }) as HttpEvent;
      const answer = await handle(event);
      expect([answer.statusCode, codeOf(answer)]).toEqual([401, "unauthenticated"]);
    },
  );
});
