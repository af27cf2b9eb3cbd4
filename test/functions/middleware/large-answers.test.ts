import { expect, test } from "vitest";
import * as z from "zod";
import { ANSWER_BUDGET_BYTES, sentBytes } from "../../../functions/middleware/answer-budget.ts";
import { httpHandler } from "../../../functions/middleware/http-handler.ts";
import { route } from "../../../functions/middleware/route.ts";
import { AppError } from "../../../lib/core/errors.ts";
import { testClock } from "../../support/clock.ts";
import { agentOf, httpEvent } from "../../support/http-event.ts";

const MB = 1024 * 1024;
/** Texts that are too many, and each too short, to be left out. */
const SHORT_TEXTS = Array.from({ length: 4000 }, () => '"'.repeat(500));
const ROWS = Array.from({ length: 50 }, (_, n) => ({ n, text: '"'.repeat(100_000) }));

const handler = httpHandler(
  { clock: testClock() },
  {
    "GET /api/short-texts": route({
      scope: null,
      run: async () => ({ status: 200, body: { texts: SHORT_TEXTS } }),
    }),
    "POST /api/short-texts": route({
      scope: null,
      run: async () => ({ status: 201, body: { id: "x1", texts: SHORT_TEXTS } }),
    }),
    "GET /api/texts": route({
      scope: null,
      run: async () => ({
        status: 200,
        body: { one: "1".repeat(3 * MB), two: "2".repeat(4 * MB), three: "3" },
      }),
    }),
    "GET /api/whole": route({
      scope: null,
      run: async () => ({ status: 200, body: { a: "a".repeat(6 * MB) } }),
    }),
    "GET /api/rows": route({
      scope: null,
      async run({ paging }) {
        const from = paging.after(z.int()) ?? 0;
        const items = ROWS.slice(from, from + paging.limit({ max: 100, standard: 25 }));
        const next = from + items.length;
        return { status: 200, body: paging.page(items, next < ROWS.length ? next : null) };
      },
    }),
    "POST /api/refused": route({
      scope: null,
      async run() {
        const merged = '"'.repeat(4 * MB);
        const details = { holdId: "h", onVersion: 2, conflicts: 1, merged };
        throw new AppError("merge_conflicts", "both changed", details);
      },
    }),
  },
);

async function ask(path: string, query: Record<string, string> = {}) {
  const answer = await handler(httpEvent({ route: path, principal: agentOf("lia"), query }));
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(6_291_556);
  return answer;
}

test.each(["", 'a"b\\c', "\n\t\b\f\r\0\u001f\u007f", "ä€🎉", "\ud83c half", "\u2028"])(
  "%j is measured as JSON writes it",
  (text) => {
    expect(sentBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
  },
);

test("an answer that no text left out makes small enough is a refusal of the caller, never a fault", async () => {
  const { statusCode, body } = await ask("GET /api/short-texts");
  expect(statusCode).toBe(413);
  expect(JSON.parse(body)).toMatchObject({ code: "answer_too_large", limit: ANSWER_BUDGET_BYTES });
});

test("of a write it says that it is done, with what is small", async () => {
  const { statusCode, body } = await ask("POST /api/short-texts");
  expect(statusCode).toBe(201);
  expect(JSON.parse(body)).toEqual({ done: true, answerLeftOut: { bytes: expect.any(Number) }, id: "x1" });
});

test("the longest text goes first, and no more than must", async () => {
  const { body } = await ask("GET /api/texts");
  const { one, two, three, textsLeftOut } = JSON.parse(body);
  expect([one.length, two, three]).toEqual([3 * MB, null, "3"]);
  expect(textsLeftOut).toEqual([{ pointer: "/two", bytes: 4 * MB, read: "GET /api/texts?part=/two" }]);
});

test("a text too long for any answer is refused when it is asked for alone", async () => {
  expect((await ask("GET /api/whole")).statusCode).toBe(200);
  const { statusCode, body } = await ask("GET /api/whole", { part: "/a" });
  expect([statusCode, JSON.parse(body).code]).toEqual([413, "answer_too_large"]);
});

test("a list's pages end before the budget, and together have every item once", async () => {
  const seen: number[] = [];
  for (let cursor: string | null = null, pages = 0; pages < 20; pages++) {
    const query: Record<string, string> = cursor ? { limit: "100", cursor } : { limit: "100" };
    const { statusCode, body } = await ask("GET /api/rows", query);
    expect(statusCode).toBe(200);
    const page = JSON.parse(body);
    seen.push(
      ...page.items.map(({ n, text }: { n: number; text: string }) => (text.length === 100_000 ? n : -1)),
    );
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  expect(seen).toEqual(ROWS.map(({ n }) => n));
});

test("a refusal keeps its code where its texts have no room", async () => {
  const { statusCode, body } = await ask("POST /api/refused");
  expect(statusCode).toBe(409);
  expect(JSON.parse(body)).toMatchObject({ code: "merge_conflicts", holdId: "h", merged: null });
});
