import { afterAll, describe, expect, test } from "vitest";
import { sha256 } from "../../../lib/core/bytes.ts";
import { readMemo, readMemoVersion, versionWrittenBy } from "../../../lib/memos/read.ts";
import { writeMemo } from "../../../lib/memos/write.ts";
import { givenLibrary } from "./library.ts";

const library = await givenLibrary();
const { memos, clock, givenMemo, edit, remove } = library;
const read = (memoId: string, ownerUid = "alice") => readMemo({ memos }, ownerUid, memoId);
afterAll(() => library.engine.stop());

describe("writing a memo", () => {
  test("a new memo is read back as it was written, with the hash of its bytes", async () => {
    const memo = await givenMemo({ title: "Roadmap", body: "Ship it.\r\n", tags: ["plan", "plan", "q3"] });
    expect(await read(memo.memoId)).toEqual(memo);
    expect(memo).toMatchObject({
      contentVersion: 1,
      contentHash: sha256("Ship it.\r\n"),
      notesHash: sha256(""),
      tags: ["plan", "q3"],
      memoType: "note",
      visibility: "unlisted",
    });
  });

  test("an empty body, an empty tag and an empty note stay empty", async () => {
    const memo = await givenMemo({ body: "", tags: [""], notes: "", notesTags: [""] });
    expect(await read(memo.memoId)).toMatchObject({ body: "", tags: [""], notes: "", notesTags: [""] });
  });

  test("a text with half a surrogate pair reads back as what its hash says", async () => {
    const memo = await givenMemo({ body: "a\ud800b" });
    const again = await read(memo.memoId);
    expect(again?.body).toBe("a\ufffdb");
    expect(again?.contentHash).toBe(sha256(again?.body ?? ""));
  });

  test("a change of one zone leaves the other as it was", async () => {
    const { memoId } = await givenMemo({ title: "Plan", body: "mine", tags: ["a"] });
    clock.advance(1000);
    expect(await edit(memoId, 1, { notes: "theirs", notesTags: ["seen"] })).toMatchObject({
      outcome: "written",
    });
    expect(await read(memoId)).toMatchObject({
      title: "Plan",
      body: "mine",
      tags: ["a"],
      notes: "theirs",
      notesTags: ["seen"],
      contentVersion: 2,
      contentHash: sha256("mine"),
    });
  });

  test("a write on an old version leaves the newer text and names the version that stands", async () => {
    const { memoId } = await givenMemo({ body: "one" });
    await edit(memoId, 1, { body: "a person's edit" });
    expect(await edit(memoId, 1, { body: "a stale draft" })).toEqual({ outcome: "conflict", actual: 2 });
    expect((await read(memoId))?.body).toBe("a person's edit");
  });

  test("one of several racing writes on a version wins and the others hear its version", async () => {
    const { memoId } = await givenMemo({ body: "base" });
    const outcomes = await Promise.all(
      ["a", "b", "c", "d"].map((body) => edit(memoId, 1, { body }, `write_${body}`)),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "written")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "conflict")).toHaveLength(3);
    const memo = await read(memoId);
    expect(memo?.contentVersion).toBe(2);
    expect(memo?.writeToken).toBe(`write_${memo?.body}`);
  });

  test("a repeated write finds its version after others wrote on top, and makes no second one", async () => {
    const { memoId } = await givenMemo({ body: "base" });
    await edit(memoId, 1, { body: "the landing" }, "run_1#output");
    await edit(memoId, 2, { body: "a person's edit" });
    await edit(memoId, 3, { body: "and another" });
    expect(await edit(memoId, 1, { body: "the landing" }, "run_1#output")).toMatchObject({
      outcome: "written",
      repeated: true,
      memo: { contentVersion: 2, body: "the landing" },
    });
    expect((await read(memoId))?.contentVersion).toBe(4);
    expect(await versionWrittenBy({ memos }, "alice", memoId, "run_1#output")).toBe(2);
  });

  test("a body row whose writer lost is no part of the history", async () => {
    const { memoId } = await givenMemo({ body: "base" });
    const base = await read(memoId);
    if (!base) throw new Error("no memo");
    await memos.putVersion({ ...base, contentVersion: 2, body: "orphan", writeToken: "write_z" }, "BODY#x");
    await edit(memoId, 1, { body: "winner" }, "write_a");
    expect(await edit(memoId, 1, { body: "orphan" }, "write_z")).toEqual({ outcome: "conflict", actual: 2 });
    expect(await versionWrittenBy({ memos }, "alice", memoId, "write_z")).toBeUndefined();
    expect((await readMemoVersion({ memos }, "alice", memoId, 2))?.body).toBe("winner");
  });

  test("a write that crashed before it was visible is finished by its repeat with the same bytes", async () => {
    const { memoId } = await givenMemo({ body: "base" });
    const base = await read(memoId);
    const head = await memos.head("alice", memoId);
    if (!base || !head) throw new Error("no memo");
    const crashed = {
      ...base,
      contentVersion: 2,
      body: "draft",
      contentHash: sha256("draft"),
      writeToken: "t",
    };
    await memos.putVersion(crashed, head.bodyRef);
    clock.advance(60_000);
    expect(await edit(memoId, 1, { body: "draft" }, "t")).toEqual({
      outcome: "written",
      repeated: false,
      memo: crashed,
    });
    expect(await read(memoId)).toEqual(crashed);
  });

  test("creating over a memo conflicts, and changing one that never was conflicts with nothing", async () => {
    const { memoId } = await givenMemo({});
    expect(await edit(memoId, null, { title: "t", body: "b" })).toEqual({ outcome: "conflict", actual: 1 });
    expect(await edit("memo_never", 1, { body: "b" })).toEqual({ outcome: "conflict", actual: null });
  });

  test("a memo of another owner is not there", async () => {
    const { memoId } = await givenMemo({ body: "hers" });
    expect(await read(memoId, "bob")).toBeUndefined();
    const write = library.write({ ownerUid: "bob", memoId, base: 1, content: { body: "his" } });
    expect(await writeMemo({ memos, clock }, write)).toEqual({ outcome: "conflict", actual: null });
  });
});

describe("a deleted memo", () => {
  test("is gone for readers and is never made again", async () => {
    const { memoId } = await givenMemo({ body: "x" });
    expect(await remove(memoId, 1)).toEqual({ outcome: "deleted", repeated: false });
    expect(await read(memoId)).toBeUndefined();
    expect(await edit(memoId, 1, { body: "y" })).toEqual({ outcome: "gone" });
    expect(await edit(memoId, 2, { body: "y" })).toEqual({ outcome: "gone" });
    expect(await edit(memoId, null, { title: "t", body: "y" })).toEqual({ outcome: "gone" });
  });

  test("still tells a run that it had landed", async () => {
    const { memoId } = await givenMemo({ body: "x" });
    await edit(memoId, 1, { body: "landed" }, "run_9#output");
    await remove(memoId, 2);
    expect(await edit(memoId, 1, { body: "landed" }, "run_9#output")).toMatchObject({
      outcome: "written",
      repeated: true,
    });
    expect(await versionWrittenBy({ memos }, "alice", memoId, "run_9#output")).toBe(2);
  });

  test("is deleted once, on the version that was read", async () => {
    const { memoId } = await givenMemo({ body: "x" });
    await edit(memoId, 1, { body: "y" });
    expect(await remove(memoId, 1)).toEqual({ outcome: "conflict", actual: 2 });
    expect(await remove(memoId, 2, "write_del")).toEqual({ outcome: "deleted", repeated: false });
    expect(await remove(memoId, 2, "write_del")).toEqual({ outcome: "deleted", repeated: true });
    expect(await remove(memoId, 2)).toEqual({ outcome: "gone" });
  });
});

describe("a large memo", () => {
  const big = "ä€😀 line\n".repeat(80_000);

  test("reads back whole although it needs several rows", async () => {
    const { memoId } = await givenMemo({ body: big, notes: big.slice(0, 500_000) });
    const memo = await read(memoId);
    expect(memo?.body === big).toBe(true);
    expect(memo?.notes === big.slice(0, 500_000)).toBe(true);
    await edit(memoId, 1, { body: "small now", notes: "" });
    expect(await read(memoId)).toMatchObject({ body: "small now", notes: "", contentVersion: 2 });
    expect((await readMemoVersion({ memos }, "alice", memoId, 1))?.body === big).toBe(true);
  });

  test("above the ceiling is refused before anything is written", async () => {
    library.engine.resetCounts();
    const over = "x".repeat(2 * 1024 * 1024 + 1);
    await expect(givenMemo({ body: over })).rejects.toMatchObject({ code: "body_too_large" });
    expect(library.engine.counts()).toEqual({ GetItem: 1 });
  });
});
