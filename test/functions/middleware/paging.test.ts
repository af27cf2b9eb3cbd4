import * as z from "zod";
import { expect, test } from "vitest";
import { pagingOf as pages } from "../../../functions/middleware/paging.ts";

const Place = z.strictObject({ n: z.int() });
const RUNS = ["GET /api/runs"];
const pagingOf = (place: readonly string[], query: Record<string, string>, ownerUid = "ana", key = "key") =>
  pages({ ownerUid, place }, query, key);
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

test("a cursor is of one owner, one filter and one key, whatever the limit", () => {
  const asked = { status: "held", limit: "5" };
  const cursor = pagingOf(RUNS, asked).page([], { n: 7 }).nextCursor ?? "";
  const after = (query: Record<string, string>, owner = "ana", key = "key") =>
    pagingOf(RUNS, { ...query, cursor }, owner, key).after(Place);
  expect(after(asked)).toEqual({ n: 7 });
  expect(after({ limit: "9", status: "held" })).toEqual({ n: 7 });
  expect(() => after({ status: "done" })).toThrow("not a cursor of this list");
  expect(() => after({})).toThrow("not a cursor of this list");
  expect(() => after(asked, "bob")).toThrow("not a cursor of this list");
  expect(() => after(asked, "ana", "another key")).toThrow("not a cursor of this list");
  expect(Buffer.from(cursor, "base64url").toString()).not.toContain("ana");
});

test("a cursor that was changed anywhere, cut or made up is refused and never an error of ours", () => {
  const cursor = cursorOf(RUNS);
  const bytes = Buffer.from(cursor, "base64url");
  const changed = [...bytes.keys()].map((at) => {
    const copy = Buffer.from(bytes);
    copy[at] = copy[at]! ^ 1;
    return copy.toString("base64url");
  });
  const cut = [...bytes.keys()].map((at) => bytes.subarray(0, at).toString("base64url"));
  for (const each of [...changed, ...cut, "!", "\ud800", "é", "x".repeat(10_000), `${cursor}AAAA`]) {
    expect(() => pagingOf(RUNS, { cursor: each }).after(Place)).toThrow("not a cursor of this list");
  }
});
