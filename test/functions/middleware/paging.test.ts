import * as z from "zod";
import { expect, test } from "vitest";
import { pagingOf } from "../../../functions/middleware/paging.ts";

const Place = z.strictObject({ n: z.int() });
const RUNS = ["GET /api/runs"];
const cursorOf = (list: readonly string[]) => pagingOf(list, {}).page([], { n: 7 }).nextCursor ?? "";

test("a cursor goes on in its own list, and in no other route and no other thing of the same route", () => {
  const cursor = cursorOf(["GET /api/memos/{id}/versions", "memo_a"]);
  const after = (list: readonly string[]) => pagingOf(list, { cursor }).after(Place);
  expect(after(["GET /api/memos/{id}/versions", "memo_a"])).toEqual({ n: 7 });
  for (const list of [RUNS, ["GET /api/memos/{id}/versions", "memo_b"], ["GET /api/memos/{id}/versions"]]) {
    expect(() => after(list)).toThrow("not a cursor of this list");
  }
});

test("a list of one page refuses any cursor, and the last page has none", () => {
  expect(() => pagingOf(RUNS, { cursor: cursorOf(RUNS) }).onlyPage()).toThrow("one page");
  expect(() => pagingOf(RUNS, {}).onlyPage()).not.toThrow();
  expect(pagingOf(RUNS, {}).page([1], null)).toEqual({ items: [1], nextCursor: null });
});

test("O36: a limit with an emoji across the end of what is shown is told in well-formed text", () => {
  const limit = `${"x".repeat(19)}🎉`;
  const told = (() => {
    try {
      return String(pagingOf(RUNS, { limit }).limit({ max: 100, standard: 25 }));
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(told).toContain("expected a whole number from 1 to 100");
  expect(told.isWellFormed()).toBe(true);
});
