import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { workflowText } from "../support/workflow-text.ts";
import {
  clientOf,
  eventually,
  runThatIs,
  type Client,
  type Hold,
  type Page,
  type RunRecord,
  type ShownMemo,
  type ShownRun,
} from "./client.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stop = async () => {};
let host: Host;
let person: Client;
beforeAll(async () => {
  const given = await givenHost();
  ({ host, stop } = given);
  person = clientOf(host, host.keys.stewardKey);
});
afterAll(() => stop());

const workflow = (title: string, parts: Parameters<typeof workflowText>[0]): Promise<ShownMemo> =>
  person.post("/api/memos", { title, body: workflowText(parts), memoType: "workflow" });

/** The first run of a workflow, once there is one. */
const runOf = (workflowId: string): Promise<ShownRun> =>
  eventually(async () => {
    const { items } = await person.get<Page<ShownRun>>("/api/runs");
    const run = items.find((shown) => shown.workflowId === workflowId);
    if (!run) throw new Error(`no run of ${workflowId} yet`);
    return run;
  });

test("a person's note that gains a tag is drafted from, and its writer may approve the draft", async () => {
  const { memoId: workflowId } = await workflow("Answer", {
    command: "/answer",
    trigger: ["**Invoke** `memo tag:inbox`", "**Input** `memoId` memo", "**Input** `title` string?"],
    policy: ["**Approval** `hold`", "**Tags** `answered`"],
  });
  const note = await person.post<ShownMemo>("/api/memos", { title: "Call Bo", body: "About the boat." });
  const tagged = await person.ask(
    "PUT",
    `/api/memos/${note.memoId}`,
    { tags: ["inbox"] },
    { "if-match": '"1"' },
  );
  expect(tagged.status).toBe(200);
  const { runId } = await runOf(workflowId);
  const { holdId } = await runThatIs(person, runId, "suspended");
  const hold = await person.get<Hold>(`/api/holds/${holdId}`);
  expect(hold.payload).toEqual({ memoId: note.memoId, title: "Call Bo", tags: ["inbox"] });
  await person.post(`/api/holds/${holdId}/decision`, { verdict: "approve", sha256: hold.sha256 });
  const { landing } = await runThatIs(person, runId, "done");
  expect((await person.get<ShownMemo>(`/api/memos/${landing!.memoId}`)).tags).toContain("answered");
});

test("a staged workflow shows what it would have written and writes nothing", async () => {
  await workflow("Staged", { command: "/staged", status: "staged" });
  const { runId } = await person.post<{ runId: string }>("/api/workflows/staged/items", { payload: {} });
  const run = await runThatIs(person, runId, "done");
  expect(run).toMatchObject({ staged: true, landing: null });
  const { proposal }: RunRecord = run;
  expect(proposal?.text).not.toBe("");
  expect((await person.ask("GET", `/api/memos/${proposal?.target.memoId}`)).status).toBe(404);
});

test("a saved schedule is looked at by the pass: the round answers how many slots it fired", async () => {
  await workflow("Hourly", { command: "/hourly", trigger: ["**Invoke** `schedule rate(1 hour)`"] });
  const outcome = await host.invoke("schedulePass", {});
  expect(outcome).toMatchObject({ ok: true, payload: expect.stringContaining('"fired":0') });
});
