import { afterAll, expect, test } from "vitest";
import { importMemos, type ImportFile } from "../../../lib/memos/import.ts";
import { readMemo } from "../../../lib/memos/read.ts";
import { ALICE, givenLibrary } from "./library.ts";

const library = await givenLibrary();
const { memos, clock, edit, remove } = library;
afterAll(() => library.engine.stop());

const owner = { ownerUid: "alice", writtenBy: ALICE, sessionId: null, workflows: true };
const importAll = (...files: ImportFile[]) => importMemos({ memos, clock }, owner, files);
async function importOne(path: string, text: string, as = owner) {
  const [answer] = await importMemos({ memos, clock }, as, [{ path, text }]);
  if (!answer || answer.memoId === null) throw new Error("no answer");
  const memo = await readMemo({ memos }, as.ownerUid, answer.memoId);
  return { ...answer, memoId: answer.memoId, memo };
}
const WORKFLOW = "# W\n## Trigger\n## Load Contract\n## Steps\n## Policy\n";

test("a file becomes a memo whose body is the file, byte for byte", async () => {
  const text = "\uFEFF---\ntags: [x]\n---\r\n# Title\r\n\r\nText";
  const { outcome, memo } = await importOne("git/one.md", text);
  expect(outcome).toBe("created");
  expect(memo).toMatchObject({
    title: "Title",
    body: text,
    tags: ["x", "git"],
    memoType: "note",
    contentVersion: 1,
  });
});

test("the same file again changes nothing, and a changed one updates its memo in place", async () => {
  const first = await importOne("a/two.md", "# Two\none");
  expect(await importOne("./a\\two.md", "# Two\none")).toMatchObject({
    outcome: "unchanged",
    memoId: first.memoId,
  });
  const third = await importOne("a/two.md", "# Two\nmore");
  expect(third).toMatchObject({ outcome: "updated", memoId: first.memoId, contentVersion: 2 });
  expect(third.memo?.body).toBe("# Two\nmore");
});

test("what a person changed here is kept, whether the file stays or changes", async () => {
  const { memoId } = await importOne("three.md", "# Three\nfile");
  await edit(memoId, 1, { body: "# Three\nedited here", title: "Renamed" });
  expect(await importOne("three.md", "# Three\nfile")).toMatchObject({
    outcome: "unchanged",
    contentVersion: 2,
  });
  const refused = await importOne("three.md", "# Three\nfile changed");
  expect(refused).toMatchObject({ outcome: "refused", reason: "edited_here" });
  expect(refused.memo).toMatchObject({ body: "# Three\nedited here", title: "Renamed" });
});

test("a landing beside the body does not stop the next import, which leaves it there", async () => {
  const { memoId } = await importOne("four.md", "# Four\nfile");
  await edit(memoId, 1, { notes: "a landing", tags: ["landed"] }, "run_1#output");
  const next = await importOne("four.md", "# Four\nfile changed");
  expect(next).toMatchObject({ outcome: "updated", contentVersion: 3 });
  expect(next.memo).toMatchObject({ body: "# Four\nfile changed", notes: "a landing", tags: ["landed"] });
});

test("a front matter id keeps the memo when its file moves", async () => {
  const first = await importOne("old/five.md", "---\nid: five\n---\n# Five");
  const moved = await importOne("new/five.md", "---\nid: five\n---\n# Five");
  expect(moved.memoId).toBe(first.memoId);
  expect(moved.memo?.tags).toEqual(["old", "new"]);
});

test("an id of a memo that was never imported does not replace its text", async () => {
  const memo = await library.givenMemo({ title: "Mine", body: "mine" });
  const answer = await importOne("six.md", `---\nid: ${memo.memoId}\n---\n# Theirs`);
  expect(answer).toMatchObject({ outcome: "refused", reason: "edited_here", memo: { body: "mine" } });
});

test("a deleted memo stays deleted", async () => {
  const { memoId } = await importOne("seven.md", "# Seven");
  await remove(memoId, 1);
  expect(await importOne("seven.md", "# Seven")).toMatchObject({
    outcome: "refused",
    reason: "deleted_here",
  });
});

test("a bad file is refused alone", async () => {
  const answers = await importAll(
    { path: "ok.md", text: "# Ok" },
    { path: "bad.md", text: "---\ntags: [\n---\n" },
    { path: "big.md", text: "x".repeat(2 * 1024 * 1024 + 1) },
    { path: "a/ok.md", text: "# Ok too" },
    { path: "/ok.md", text: "# The same path" },
    { path: "", text: "" },
  );
  expect(answers.map((answer) => answer.outcome)).toEqual([
    "created",
    "refused",
    "refused",
    "created",
    "refused",
    "refused",
  ]);
  expect(answers.map((answer) => ("reason" in answer ? answer.reason : null))).toEqual([
    null,
    "bad_file",
    "too_large",
    null,
    "bad_path",
    "bad_path",
  ]);
});

test("workflows are taken only from those who may write them", async () => {
  expect(await importOne("w.md", WORKFLOW, { ...owner, workflows: false })).toMatchObject({
    outcome: "refused",
    reason: "workflows_scope_missing",
    memo: undefined,
  });
  expect((await importOne("w.md", WORKFLOW)).memo?.memoType).toBe("workflow");
  expect(await importOne("w.md", "# Now a note", { ...owner, workflows: false })).toMatchObject({
    outcome: "refused",
    memo: { memoType: "workflow" },
  });
});

test("the same path is another memo for another owner", async () => {
  const mine = await importOne("shared.md", "# Mine");
  const theirs = await importOne("shared.md", "# Theirs", { ...owner, ownerUid: "bob" });
  expect(theirs.outcome).toBe("created");
  expect(theirs.memoId).not.toBe(mine.memoId);
});
