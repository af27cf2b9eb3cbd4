import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../../lib/model/model.ts";
import { createOfflineModel } from "../../../lib/model/offline-adapter.ts";
import {
  citedTitles,
  demoMemos,
  found,
  modelRequest,
  payload,
  tilNotes,
  unfaithfulLines,
} from "../../support/model-request.ts";

const write = createOfflineModel();
const QUESTION = "Which psql and git settings do I keep forgetting, and why?";
const SIX = [
  "A Better Null Display Character",
  "Configuring The Pager",
  "Find The Location Of Postgres Config Files",
  "Caching Credentials",
  "Include All Queries In The Log File",
  "Highlight Extra Whitespace In Diff Output",
];
const sixNotes = () => tilNotes().filter((note) => SIX.includes(note.title));

describe("a draft from six memos", () => {
  test("quotes at least three of them under the question as its heading", async () => {
    const parts = [...sixNotes(), payload({ topic: QUESTION })];
    const { text } = await write(modelRequest({ parts }));
    expect(text.split("\n")[0]).toBe(`# ${QUESTION}`);
    expect(citedTitles(text).length).toBeGreaterThanOrEqual(3);
    expect(unfaithfulLines(text, parts)).toEqual([]);
  });

  test("says before anything else that no language model wrote it", async () => {
    const { text } = await write(modelRequest({ parts: [...sixNotes(), payload({ topic: QUESTION })] }));
    expect(text.split("\n")[2]).toBe(
      "An extract of your memos by the offline writer; no language model was used.",
    );
  });

  test("shows the setting that a quoted sentence leads to", async () => {
    const { text } = await write(modelRequest({ parts: [...sixNotes(), payload({ topic: QUESTION })] }));
    expect(text).toContain("```bash\n$ git config --global diff.wsErrorHighlight all\n```");
  });

  test("names the words of the question that no memo has", async () => {
    const parts = [...sixNotes(), payload({ topic: "Which psql settings help on a zeppelin?" })];
    const { text } = await write(modelRequest({ parts }));
    expect(text).toMatch(/None of the loaded memos has the words: [^\n]*zeppelin/);
  });

  test("answers why the demo loop holds its drafts from the memos about it", async () => {
    const memos = demoMemos();
    const topic =
      "Why does this loop hold its drafts for a person, and what does the house style ask of them?";
    const titles = ["Why drafts are held", "What a reviewer looks for", "House style", "What a lane is"];
    const parts = [...titles.map((title) => memos.get(title)!), payload({ topic })];
    const { text } = await write(modelRequest({ parts }));
    expect(text).toContain("> So this loop holds its drafts: the run stops, and the text waits for a person");
    expect(citedTitles(text)).toEqual(expect.arrayContaining(titles.slice(0, 3)));
  });

  test("spreads over three memos even when they share no word with the question", async () => {
    const parts = [...sixNotes(), payload({ topic: "Xylophone quandary" })];
    expect(citedTitles((await write(modelRequest({ parts }))).text).length).toBeGreaterThanOrEqual(3);
  });
});

test("gives the same bytes for the same request", async () => {
  const request = modelRequest({ parts: [...tilNotes().slice(0, 40), payload({ topic: QUESTION })] });
  const first = await createOfflineModel()(request);
  expect(await createOfflineModel()(request)).toEqual(first);
});

test("counts what it read and wrote, at no cost, as an estimate", async () => {
  const parts = [...sixNotes(), payload({ topic: QUESTION })];
  const request = modelRequest({ parts });
  const reply = await write(request);
  const read = parts.reduce((sum, part) => sum + estimateTokens(part.text), 0);
  expect(reply).toMatchObject({ model: "offline-extractive", stop: "end", costMicroUsd: 0 });
  expect(reply.usage).toEqual({
    input: read + estimateTokens(request.instructions),
    cacheRead: 0,
    cacheWrite: 0,
    output: estimateTokens(reply.text),
    estimated: true,
  });
});

describe("limits", () => {
  test.each([1, 10, 40, 80, 150, 400])("keeps to %i output tokens", async (maxOutputTokens) => {
    const parts = [...sixNotes(), payload({ topic: QUESTION })];
    const reply = await write(modelRequest({ parts, maxOutputTokens }));
    expect(estimateTokens(reply.text)).toBeLessThanOrEqual(maxOutputTokens);
    expect(unfaithfulLines(reply.text, parts)).toEqual([]);
    expect(reply.stop).toBe(maxOutputTokens < 100 ? "length" : "end");
  });

  test("keeps to the words that the instructions or a gate allow, whichever are fewer", async () => {
    const gate = { kind: "gate", title: "Style", text: "- A draft is at most 120 words." } as const;
    const parts = [gate, ...sixNotes(), payload({ topic: QUESTION })];
    const { text } = await write(modelRequest({ parts, instructions: "Write it. Aim for 600 words." }));
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(121);
  });

  test("stops with the signal's own reason", async () => {
    const reason = new Error("lease lost");
    const request = modelRequest({ parts: sixNotes(), signal: AbortSignal.abort(reason) });
    await expect(write(request)).rejects.toBe(reason);
  });
});

describe("without a memo", () => {
  test("writes from the brief and marks what it had to assume", async () => {
    const gate = { kind: "gate", title: "House style", text: "- Plain words." } as const;
    const { text } = await write(
      modelRequest({ parts: [gate, payload({ topic: QUESTION, audience: "Mara" })] }),
    );
    expect(text).toContain("- audience: Mara");
    expect(text).toContain("- [[House style]]");
    expect(text).toMatch(/Nothing in the library is about this.*\(assumed\)/);
    expect(text).not.toMatch(/^>/m);
  });

  test("quotes neither gates nor hooks", async () => {
    const parts = [
      { kind: "gate", title: "Rules", text: "Settings of psql are kept in one memo each." } as const,
      { kind: "hook", title: "List", text: "Settings of git are kept in one memo each." } as const,
      payload({ topic: QUESTION }),
    ];
    expect((await write(modelRequest({ parts }))).text).not.toMatch(/^>/m);
  });

  test("takes a payload that is no JSON as the brief", async () => {
    const parts = [{ kind: "payload", title: "payload", text: "Say something about queues" } as const];
    expect((await write(modelRequest({ parts }))).text).toMatch(/^# Say something about queues\n/);
  });
});

test("sorts a digest into the parts that the instructions ask for", async () => {
  const parts = [
    found("Monday", "The importer shipped on Monday after the review. Nothing else happened on that day."),
    found("Tuesday", "The nightly backup failed with a disk error again."),
    payload({}),
  ];
  const instructions = "Write the digest in three parts: shipped, learned, stuck.";
  const { text } = await write(modelRequest({ instructions, parts }));
  expect(text.split("\n")[0]).toBe("# Digest");
  expect(text).toMatch(/## Shipped\n\n> The importer shipped[^\n]*\[\[Monday\]\]\n/);
  expect(text).toMatch(/## Learned\n\nNothing in the loaded memos fits here\.\n/);
  expect(text).toMatch(/## Stuck\n\n> The nightly backup failed[^\n]*\[\[Tuesday\]\]\n/);
});
