import { expect, test, vi } from "vitest";
import { clientOf, runThatIs, type Page, type ShownMemo } from "./client.ts";
import { importFiles, notes } from "./library.ts";
import { givenHost } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

test("a workflow of the project runs in a new library, asks the model that is there, and files its report", async () => {
  const { host, stop } = await givenHost();
  try {
    await importFiles(clientOf(host, host.keys.stewardKey), notes());
    const agent = clientOf(host, host.keys.agentKey);
    const listed = await agent.get<Page<{ command: string; workflowId: string }>>("/api/workflows");
    expect(listed.items.map(({ command }) => command)).toContain("/library-review");
    const { runId } = await agent.post<{ runId: string }>("/api/workflows/library-review/items", {
      payload: { staleDays: 0, maxNotes: 3 },
    });
    const run = await runThatIs(agent, runId, "done");
    expect(run.manifestDrift).toBe(false);
    expect(run.steps.find(({ id }) => id === "lines")).toMatchObject({
      kind: "map",
      forEach: { elements: 3, failed: 0 },
    });
    const report = await agent.get<ShownMemo>(`/api/memos/${run.landing?.memoId}`);
    expect(report.title).toMatch(/^Library review 2/);
    expect(report.body.split("\n").filter((line) => line.startsWith("- **"))).toHaveLength(3);
  } finally {
    await stop();
  }
});
