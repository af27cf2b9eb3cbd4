import { afterEach, beforeEach, expect, test } from "vitest";
import { writeMemo } from "../../../lib/memos/write.ts";
import { requesterOf } from "../../../lib/core/principal.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { ECHO, givenFile } from "../../support/file-loop.ts";
import { PLAIN_WORKFLOW, steward } from "../../support/loop.ts";
import { FILE_ID } from "../../support/workflow-file.ts";

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

const given = () => givenFile(engine, { steps: "  - { id: a, kind: tool, tool: echo }" }, { tools: ECHO });

const plain = (n: number): string =>
  PLAIN_WORKFLOW.replaceAll("Plain", `Plain${n}`).replaceAll("/plain", `/plain${n}`);

test("a workflow of the project is found in every library by its id and its command", async () => {
  const { loop, ownerUid } = given();
  for (const name of [FILE_ID, "/a-file", "a-file"]) {
    const found = await loop.workflows.find(ownerUid, name);
    expect(found).toMatchObject({
      memo: { memoId: FILE_ID, ownerUid, contentVersion: 1, memoType: "workflow", title: "A file" },
      compiled: { ok: true, diagnostics: [] },
      peopleOnly: ["apply"],
    });
    expect(found?.memo.body).toContain("Prose for people.");
  }
  expect(await loop.workflows.idOf(ownerUid, "/a-file")).toBe(FILE_ID);
});

test("a memo cannot have its command, nor stand in its place by its id", async () => {
  const { loop, ownerUid } = given();
  const text = PLAIN_WORKFLOW.replaceAll("/plain", "/a-file").replaceAll("Plain", "A file");
  const ids = await loop.importFiles({ "thief.md": text }, ownerUid);
  const compiled = (await loop.workflows.byId(ownerUid, ids["thief.md"]!))?.compiled;
  expect(compiled?.ok).toBe(false);
  expect(compiled?.diagnostics.map(({ code }) => code)).toEqual(["MW117"]);
  expect((await loop.workflows.compileText(ownerUid, text)).diagnostics.map(({ code }) => code)).toEqual([
    "MW117",
  ]);
  await writeMemo(loop, {
    ownerUid,
    memoId: FILE_ID,
    base: null,
    content: { title: "A file", body: text, memoType: "workflow" },
    writeToken: "t",
    writtenBy: requesterOf(steward),
    sessionId: null,
    runId: null,
  });
  expect((await loop.workflows.find(ownerUid, "/a-file"))?.memo.body).toContain("Prose for people.");
});

test("lists show it last, and a page that is full leaves it to the next one", async () => {
  const { loop, ownerUid } = given();
  await loop.importFiles({ "1.md": plain(1), "2.md": plain(2) }, ownerUid);
  const titles = (workflows: readonly { memo: { title: string } }[]) =>
    workflows.map(({ memo }) => memo.title);
  expect(titles(await loop.workflows.list(ownerUid))).toEqual(["Plain2", "Plain1", "A file"]);
  const pages: string[][] = [];
  let after: { before: number } | null = null;
  do {
    const page: Awaited<ReturnType<typeof loop.workflows.page>> = await loop.workflows.page(ownerUid, {
      limit: 1,
      after,
    });
    pages.push(titles(page.workflows));
    after = page.next;
  } while (after);
  expect(pages).toEqual([["Plain2"], ["Plain1"], ["A file"]]);
  expect(titles((await loop.workflows.page(ownerUid, { limit: 3, after: null })).workflows)).toEqual([
    "Plain2",
    "Plain1",
    "A file",
  ]);
});
