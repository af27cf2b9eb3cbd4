import { expect, test } from "vitest";
import { httpHandler } from "../../../functions/middleware/http-handler.ts";
import type { LogFields } from "../../../functions/middleware/log.ts";
import { route } from "../../../functions/middleware/route.ts";
import { AppError } from "../../../lib/core/errors.ts";
import { storage } from "../../../lib/core/storage-error.ts";
import { testClock } from "../../support/clock.ts";
import { agentOf, httpEvent, restEvent } from "../../support/http-event.ts";

const SECRET = "mk_key_1_secret-in-a-message";

function handlerThat(run: () => Promise<never>) {
  const lines: { level: string; message: string; fields: LogFields | undefined }[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields });
  };
  const log = { info: at("info"), warn: at("warn"), error: at("error") };
  const rules = { scope: "runs:read", run } as const;
  const handler = httpHandler(
    { clock: testClock(), log },
    { "GET /a/{id}": route(rules), "DELETE /a/{id}": route(rules) },
  );
  return { handler, lines };
}
const event = (principal = agentOf("ana")) =>
  httpEvent({ route: "GET /a/{id}", params: { id: "7" }, principal, requestId: "r-1" });

const answerTo = async (error: unknown) => {
  const { handler, lines } = handlerThat(async () => {
    throw error;
  });
  const answer = await handler(event());
  return { answer, problem: JSON.parse(answer.body), lines };
};

test("an error of ours keeps its code, text, hint and details", async () => {
  const { answer, problem } = await answerTo(
    new AppError("memo_version_conflict", "memo_1 is at 3, not 2", {
      memoId: "memo_1",
      expected: 2,
      actual: 3,
    }),
  );
  expect(answer.statusCode).toBe(409);
  expect(problem).toEqual({
    type: "urn:mythos-loops:error:memo_version_conflict",
    title: "The memo has changed",
    status: 409,
    code: "memo_version_conflict",
    detail: "memo_1 is at 3, not 2",
    hint: "Read it again and send its current contentVersion in If-Match.",
    memoId: "memo_1",
    expected: 2,
    actual: 3,
    requestId: "r-1",
  });
});

test("a detail stands beside the HTTP status, never in its place", async () => {
  const { problem } = await answerTo(
    new AppError("run_not_cancellable", "run_1 is done", { runId: "run_1", runStatus: "done" }),
  );
  expect(problem).toMatchObject({ status: 409, runStatus: "done" });
});

test.each([
  new Error(SECRET),
  new AppError("internal", SECRET, {}),
  Object.assign(new Error(SECRET), { name: "AppError", code: "code_of_a_later_release", details: {} }),
  "a text that was thrown",
  null,
])("an error that is not ours is 500 with the request id and nothing of its text", async (error) => {
  const { answer, problem, lines } = await answerTo(error);
  expect(problem).toEqual({
    type: "urn:mythos-loops:error:internal",
    title: "Something broke here",
    status: 500,
    code: "internal",
    detail: "Something broke here",
    hint: "It is in the log under the request id.",
    requestId: "r-1",
  });
  expect(answer.headers["x-request-id"]).toBe("r-1");
  expect(JSON.stringify(lines)).not.toContain(SECRET);
  expect(lines.map((line) => [line.level, line.fields?.["requestId"]])).toContainEqual(["error", "r-1"]);
});

test("a store that does not answer is 503 with retry-after, logged by name and request id", async () => {
  const broken = Object.assign(new Error(`Signature expired ${SECRET}`), {
    name: "InvalidSignatureException",
    $metadata: { requestId: "aws-1" },
  });
  const failing = storage("read memo", () => Promise.reject(broken)).catch((error: unknown) => error);
  const { answer, problem, lines } = await answerTo(await failing);
  expect(answer.statusCode).toBe(503);
  expect(answer.headers["retry-after"]).toBe("1");
  expect(problem.code).toBe("storage_unavailable");
  expect(answer.body).not.toContain("Signature");
  expect(lines[0]?.fields).toMatchObject({
    errorCode: "storage_unavailable",
    causeName: "InvalidSignatureException",
    operation: "read memo",
    storeRequestId: "aws-1",
  });
  expect(JSON.stringify(lines)).not.toContain(SECRET);
});

test.each(["", undefined])("without a principal the answer is 401, not 403 or 500", async (principal) => {
  const { handler } = handlerThat(() => Promise.reject(new Error("not reached")));
  const whole = event();
  const answer = await handler({
    ...whole,
    requestContext: {
      ...whole.requestContext,
      authorizer: principal === "" ? { lambda: { principal } } : undefined,
    },
  });
  expect(answer.statusCode).toBe(401);
  expect(answer.headers["www-authenticate"]).toBe("Bearer");
  expect(JSON.parse(answer.body).code).toBe("unauthenticated");
});

test("a key that could not be looked up is 503, never 401", async () => {
  const { handler } = handlerThat(() => Promise.reject(new Error("not reached")));
  const whole = event();
  const authorizer = { lambda: { principal: "", unavailable: "1" } };
  const answer = await handler({ ...whole, requestContext: { ...whole.requestContext, authorizer } });
  expect(answer).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } });
});

test("a key without the scope is 403 and the route does not run", async () => {
  const { handler } = handlerThat(() => Promise.reject(new Error("the route ran")));
  const answer = await handler(event(agentOf("ana", ["memos:read"])));
  expect(answer.statusCode).toBe(403);
  expect(JSON.parse(answer.body)).toMatchObject({ code: "scope_missing", scope: "runs:read" });
});

test("a path of another function is 404, a method it does not take 405 with the ones it does", async () => {
  const { handler } = handlerThat(() => Promise.reject(new Error("not reached")));
  const unknown = await handler(httpEvent({ route: "GET /b", principal: agentOf("ana") }));
  expect(JSON.parse(unknown.body)).toMatchObject({ status: 404, code: "not_found", path: "/b" });
  const put = await handler(
    httpEvent({ route: "PUT /a/{id}", params: { id: "7" }, principal: agentOf("ana") }),
  );
  expect(put.statusCode).toBe(405);
  expect(put.headers["allow"]).toBe("GET, DELETE");
});

test("an event of a REST API is answered as one of an HTTP API", async () => {
  const handler = httpHandler(
    { clock: testClock() },
    {
      "GET /a/{id}": route({
        scope: "runs:read",
        run: async ({ params, query, header, principal }) => ({
          status: 200,
          body: { params, query, seen: header("x-thing"), uid: principal.uid },
        }),
      }),
    },
  );
  const request = {
    route: "GET /a/{id}",
    params: { id: "7" },
    query: { q: "1" },
    headers: { "X-Thing": "t" },
    principal: agentOf("ana"),
  };
  const bodies = [await handler(httpEvent(request)), await handler(restEvent(request))].map(
    ({ body }) => body,
  );
  expect(JSON.parse(bodies[0] ?? "")).toEqual({
    params: { id: "7" },
    query: { q: "1" },
    seen: "t",
    uid: "ana",
  });
  expect(bodies[1]).toBe(bodies[0]);
});
