import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { importMemos } from "../../../lib/memos/import.ts";
import { createSearch } from "../../../lib/memos/search.ts";
import { ALICE, givenLibrary } from "./library.ts";

const root = new URL("../../fixtures/til/", import.meta.url).pathname;
const files = (readdirSync(root, { recursive: true }) as string[])
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(`${root}${path}`, "utf8") }));

const library = await givenLibrary();
const { memos, catalog, clock } = library;
const search = createSearch({ memos, catalog, clock });
afterAll(() => library.engine.stop());
const owner = { ownerUid: "alice", writtenBy: ALICE, sessionId: null, workflows: true };
const imported = await importMemos({ memos, clock }, owner, files);
const titles = async (query: string, top: number) =>
  (await search.searchMemos("alice", query, { top })).map((hit) => hit.memo);

test("a library of 156 notes is imported with each folder as a tag", async () => {
  expect(imported.filter((answer) => answer.outcome !== "created")).toEqual([]);
  expect(await catalog.entries("alice")).toHaveLength(156);
  expect(await titles("tag:git", 50)).toHaveLength(25);
});

test("a question about psql and git settings finds nothing but notes on those", async () => {
  const hits = await titles("Which psql and git settings do I keep forgetting, and why?", 8);
  for (const { tags } of hits) expect(["git", "postgres"]).toEqual(expect.arrayContaining([...tags]));
  const found = hits.map((memo) => memo.title);
  expect(found).toContain("A Better Null Display Character");
  expect(found).toContain("Configuring The Pager");
});

test.each([
  ["what is the size of a table?", "Get The Size Of A Table"],
  ["undo changes in my working copy", "Clean Out Working Copy With Patched Restore"],
  ["clearing the terminal screen", "Clear The Screen"],
  ["uuid without extension", "Generate Random UUIDs Without An Extension"],
  ["postgrse cofnig", "Find The Location Of Postgres Config Files"],
])("%s is answered first by %s", async (question, title) => {
  expect((await titles(question, 3))[0]?.title).toBe(title);
});
