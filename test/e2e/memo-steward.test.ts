import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { clientOf, runThatIs, type ShownMemo } from "./client.ts";
import { importFiles } from "./library.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const LIBRARY = new URL("../../infra/local/library/", import.meta.url);
const fileOf = (path: string) => ({ path, text: readFileSync(new URL(path, LIBRARY), "utf8") });

test("the session steward of the demo library runs on a host once a person has switched it on", async () => {
  const { host, stop } = await givenHost();
  try {
    const person = clientOf(host, host.keys.stewardKey);
    const workflow = fileOf("workflows/5-session-steward.md");
    const live = workflow.text.replace("**Status** `paused`", "**Status** `live`");
    expect(live).not.toBe(workflow.text);
    const loaded = [fileOf("session-steward-rules.md"), fileOf("verdict-examples.md")];
    await importFiles(person, [...loaded, { ...workflow, text: live }]);
    const previewed = await person.post<{ steps: { stepId: string }[] }>("/api/workflows/preview", {
      workflow: "/steward-sessions",
      payload: {},
    });
    expect(JSON.stringify(previewed)).toContain("these sessions are looked for when the workflow runs");
    const { runId } = await person.post<{ runId: string }>("/api/workflows/steward-sessions/items", {
      payload: { apply: true },
    });
    const run = await runThatIs(person, runId, "done");
    const report = await person.get<ShownMemo>(`/api/memos/${run.landing?.memoId}`);
    expect(report.title).toMatch(/^Session report 2/);
    expect(report.body).toContain("# Session steward: applied");
  } finally {
    await stop();
  }
});
