import { afterAll, describe, expect, test } from "vitest";
import { DAY_MS } from "../../../lib/core/duration.ts";
import { createSearch } from "../../../lib/memos/search.ts";
import { givenLibrary } from "./library.ts";

const library = await givenLibrary();
const { memos, catalog, clock, givenMemo, edit, remove } = library;
const search = createSearch({ memos, catalog, clock });
afterAll(() => library.engine.stop());
const found = async (owner: string, query: string, options: { top?: number; maxTokens?: number } = {}) =>
  (await search.searchMemos(owner, query, { top: 10, ...options })).map((hit) => hit.memo.title);

describe("a question in plain words", () => {
  test("finds the notes on each thing it names and none that only share its small words", async () => {
    const notes = [
      ["A Better Null Display", "postgres", "Set `\\pset null` in `.psqlrc`; psql shows blanks otherwise."],
      ["Configuring The Pager", "git", "`git config --global core.pager less` keeps the log short."],
      ["Why I Do What I Do", "life", "Which and what do I keep, and why do I keep it?"],
      ["Enable Keyboard Shortcuts", "internet", "The settings of the mail program have them."],
      ["A Port In Use", "unix", "Ask lsof which process has it."],
    ] as const;
    for (const [title, tag, body] of notes) await givenMemo({ title, body, tags: [tag] }, "q");
    const titles = await found("q", "Which psql and git settings do I keep forgetting, and why?");
    expect(titles.toSorted()).toEqual([
      "A Better Null Display",
      "Configuring The Pager",
      "Enable Keyboard Shortcuts",
    ]);
  });

  test("finds a word in its other forms, a longer word by its start, and a misspelt one", async () => {
    await givenMemo({ title: "Queries", body: "Vacuuming reclaims dead rows; generated columns." }, "forms");
    for (const query of ["query", "vacuums", "generating", "recla", "qeury", "vaccuuming"]) {
      expect([query, await found("forms", query)]).toEqual([query, ["Queries"]]);
    }
    expect(await found("forms", "elephant")).toEqual([]);
  });

  test("never takes a known word for a misspelling of another", async () => {
    await givenMemo({ title: "Grape", body: "grape" }, "known");
    await givenMemo({ title: "Graph", body: "graph" }, "known");
    expect(await found("known", "graph")).toEqual(["Graph"]);
  });

  test("ranks a title above a mention", async () => {
    await givenMemo({ title: "Notes", body: "rebase and merge and squash" }, "rank");
    await givenMemo({ title: "Rebase", body: "how to" }, "rank");
    expect(await found("rank", "rebase")).toEqual(["Rebase", "Notes"]);
  });

  test("reads accents, capitals and scripts without spaces", async () => {
    await givenMemo({ title: "Résumé", body: "東京都の天気" }, "scripts");
    expect(await found("scripts", "RESUME")).toEqual(["Résumé"]);
    expect(await found("scripts", "京都の")).toEqual(["Résumé"]);
    expect(await found("scripts", "大阪")).toEqual([]);
  });

  test("of small words only still finds the title that has them", async () => {
    await givenMemo({ title: "The Who", body: "A band." }, "who");
    await givenMemo({ title: "Bands", body: "the who is one" }, "who");
    expect(await found("who", "who")).toEqual(["The Who"]);
  });

  test("finds what stands in the notes beside the body", async () => {
    await givenMemo({ title: "Meeting", body: "agenda", notes: "follow-up with Zanzibar" }, "zones");
    expect(await found("zones", "zanzibar")).toEqual(["Meeting"]);
  });
});

describe("filters", () => {
  test("keep to the tags asked for, with or without words", async () => {
    await givenMemo({ title: "One", body: "apple", tags: ["Fruit", "two words"] }, "tags");
    await givenMemo({ title: "Two", body: "apple", tags: ["fruit", "draft"] }, "tags");
    await givenMemo({ title: "Three", body: "apple" }, "tags");
    expect((await found("tags", "apple tag:fruit")).toSorted()).toEqual(["One", "Two"]);
    expect(await found("tags", "tag:fruit -tag:draft")).toEqual(["One"]);
    expect(await found("tags", 'tag:"two words" apple')).toEqual(["One"]);
    expect(await found("tags", "apple tag:none")).toEqual([]);
  });

  test("keep to what was changed lately, newest first where no word ranks", async () => {
    await givenMemo({ title: "Last month" }, "time");
    clock.advance(8 * DAY_MS);
    await givenMemo({ title: "Monday" }, "time");
    clock.advance(DAY_MS);
    await givenMemo({ title: "Tuesday" }, "time");
    await givenMemo({ title: "The digest", tags: ["loop/digest"] }, "time");
    expect(await found("time", "updated:7d -tag:loop/digest")).toEqual(["Tuesday", "Monday"]);
    expect(await found("time", "")).toHaveLength(4);
  });

  test("leave out what does not fit into the tokens and go on to what does", async () => {
    await givenMemo({ title: "Kiwi", body: "kiwi ".repeat(1000) }, "tokens");
    await givenMemo({ title: "Short", body: "kiwi" }, "tokens");
    expect(await found("tokens", "kiwi", { maxTokens: 100 })).toEqual(["Short"]);
    expect(await found("tokens", "kiwi", { maxTokens: 10_000 })).toHaveLength(2);
    expect(await found("tokens", "kiwi", { top: 1 })).toHaveLength(1);
  });

  test("keep one owner's memos from another", async () => {
    await givenMemo({ title: "Secret", body: "hippopotamus" }, "owner-a");
    await givenMemo({ title: "Other", body: "x" }, "owner-b");
    expect(await found("owner-b", "hippopotamus")).toEqual([]);
  });
});

describe("after a change", () => {
  test("O38: nine of ten deleted memos leave the tenth as the one hit", async () => {
    const made = [];
    for (let n = 0; n < 10; n++)
      made.push(await givenMemo({ title: `Report ${n}`, body: "quarterly numbers" }));
    expect(await found("alice", "quarterly", { top: 5 })).toHaveLength(5);
    for (const memo of made.slice(0, 9)) await remove(memo.memoId, 1);
    expect(await found("alice", "quarterly", { top: 5 })).toEqual(["Report 9"]);
  });

  test("the old wording is not found and the new one is", async () => {
    const { memoId } = await givenMemo({ title: "Menu", body: "aubergine" });
    expect(await found("alice", "aubergine")).toEqual(["Menu"]);
    await edit(memoId, 1, { body: "courgette" });
    expect(await found("alice", "aubergine")).toEqual([]);
    expect(await found("alice", "courgette")).toEqual(["Menu"]);
  });

  test("hits of an index that lags are corrected before they are answered", async () => {
    const owner = "lagging";
    const kept = await givenMemo({ title: "Kept", body: "walnut" }, owner);
    const edited = await givenMemo({ title: "Edited", body: "walnut" }, owner);
    const deleted = await givenMemo({ title: "Deleted", body: "walnut" }, owner);
    const frozen = await catalog.entries(owner);
    const lagging = createSearch({ memos, clock, catalog: { ...catalog, entries: async () => frozen } });
    expect(await lagging.searchMemos(owner, "walnut", { top: 3 })).toHaveLength(3);
    const head = await memos.head(owner, deleted.memoId);
    if (!head) throw new Error("no head");
    await memos.moveHead({ ...head, contentVersion: 2, deletedAt: 1 }, 1);
    const next = { ...edited, contentVersion: 2, body: "hazelnut", writeToken: "write_later" };
    await memos.putVersion(next, "BODY#1");
    const before = await memos.head(owner, edited.memoId);
    if (!before) throw new Error("no head");
    await memos.moveHead(
      {
        ...before,
        contentVersion: 2,
        bodyRef: "BODY#000000000000002#write_later",
        writeToken: "write_later",
      },
      1,
    );
    const hits = await lagging.searchMemos(owner, "walnut", { top: 3 });
    expect(hits.map((hit) => hit.memo.memoId)).toEqual([kept.memoId]);
    expect((await lagging.searchMemos(owner, "hazelnut", { top: 3 })).map((hit) => hit.memo.title)).toEqual([
      "Edited",
    ]);
  });
});
