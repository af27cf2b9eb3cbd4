import { afterAll, expect, test } from "vitest";
import { createCatalog } from "../../../lib/memos/catalog.ts";
import { givenLibrary } from "./library.ts";

const library = await givenLibrary();
const { catalog, clock, memos, givenMemo, edit, remove } = library;
afterAll(() => library.engine.stop());
const titles = async (owner: string) => (await catalog.entries(owner)).map((entry) => entry.title);
const found = async (title: string) => (await catalog.byTitle("alice", title)).map((entry) => entry.title);

test("lists a library with the newest change first, and only the owner's", async () => {
  const one = await givenMemo({ title: "One" });
  await givenMemo({ title: "Two" });
  await givenMemo({ title: "Other" }, "bob");
  expect(await titles("alice")).toEqual(["Two", "One"]);
  await edit(one.memoId, 1, { title: "One again" });
  expect(await titles("alice")).toEqual(["One again", "Two"]);
  expect(await titles("bob")).toEqual(["Other"]);
  expect(await titles("nobody")).toEqual([]);
});

test("drops a deleted memo", async () => {
  const gone = await givenMemo({ title: "Short-lived" });
  expect(await titles("alice")).toContain("Short-lived");
  await remove(gone.memoId, 1);
  expect(await titles("alice")).not.toContain("Short-lived");
});

test("finds a title exactly before it looks past case and white space", async () => {
  await givenMemo({ title: "House style" });
  await givenMemo({ title: "HOUSE STYLE" });
  expect(await found("House style")).toEqual(["House style"]);
  expect((await found("  house   Style ")).sort()).toEqual(["HOUSE STYLE", "House style"]);
  expect(await found("House stlye")).toEqual([]);
});

test("knows the workflows by their type", async () => {
  const memo = await givenMemo({ title: "Digest", memoType: "workflow" });
  expect((await catalog.workflows("alice")).map((entry) => entry.memoId)).toEqual([memo.memoId]);
  await edit(memo.memoId, 1, { memoType: "note" });
  expect(await catalog.workflows("alice")).toEqual([]);
});

test("asks the index only when the library has changed", async () => {
  clock.advance(61_000);
  const before = await catalog.entries("alice");
  clock.advance(61_000);
  library.engine.resetCounts();
  expect(await catalog.entries("alice")).toBe(before);
  expect(library.engine.counts()).toEqual({ GetItem: 1 });
});

test("finds a change that was announced before it became visible", async () => {
  const fresh = createCatalog({ memos, clock });
  const memo = await givenMemo({ title: "Slow" }, "carol");
  expect(await fresh.entries("carol")).toHaveLength(1);
  const changeSeq = await memos.bumpLibraryVersion("carol");
  await memos.bumpLibraryVersion("carol");
  expect((await fresh.entries("carol"))[0]?.title).toBe("Slow");
  const head = await memos.head("carol", memo.memoId);
  if (!head) throw new Error("no head");
  await memos.moveHead({ ...head, title: "Came late", contentVersion: 2, changeSeq }, 1);
  expect((await fresh.entries("carol"))[0]?.title).toBe("Came late");
});

test("gives up a number whose write never came", async () => {
  const fresh = createCatalog({ memos, clock });
  await givenMemo({ title: "Here" }, "dave");
  await memos.bumpLibraryVersion("dave");
  await fresh.entries("dave");
  clock.advance(60_000);
  await fresh.entries("dave");
  library.engine.resetCounts();
  expect(await fresh.entries("dave")).toHaveLength(1);
  expect(library.engine.counts()).toEqual({ GetItem: 1 });
});

test("answers concurrent questions with the caller's own write in each", async () => {
  const seen = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const memo = await givenMemo({ title: `Concurrent ${index}` }, "erin");
      const entries = await catalog.entries("erin");
      return entries.some((entry) => entry.memoId === memo.memoId);
    }),
  );
  expect(seen).toEqual(Array.from({ length: 8 }, () => true));
});
