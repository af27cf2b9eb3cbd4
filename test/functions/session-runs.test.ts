import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, expect, test } from "vitest";
import { sessionRuns } from "../../functions/session-runs.ts";
import { createRunStore } from "../../lib/runs/store.ts";
import { startEngine } from "../support/engine.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const runsOfSession = sessionRuns(createRunStore(engine.doc, engine.tables.runs));

test("gives a session's runs up to a time, that time included, newest first", async () => {
  for (const [runId, createdAt, sessionId] of [
    ["run_a", 100, "ses_1"],
    ["run_b", 200, "ses_1"],
    ["run_c", 200, "ses_1"],
    ["run_d", 300, "ses_1"],
    ["run_e", 200, "ses_2"],
  ]) {
    await engine.doc.send(
      new PutCommand({
        TableName: engine.tables.runs,
        Item: {
          runId,
          part: "HEAD",
          createdAt,
          sessionId,
          status: "settling",
          workflowId: "memo_1",
          itemKey: "k",
          generation: 1,
        },
      }),
    );
  }
  const upTo200 = await runsOfSession("ses_1", { atOrBefore: 200, limit: 10 });
  expect(upTo200.map((run) => run.runId).toSorted()).toEqual(["run_a", "run_b", "run_c"]);
  expect(upTo200.at(-1)?.runId).toBe("run_a");
  expect(upTo200[0]).toMatchObject({ createdAt: 200, status: "running", holdId: null, landing: null });
  expect(await runsOfSession("ses_1", { atOrBefore: 300, limit: 1 })).toMatchObject([{ runId: "run_d" }]);
  expect(await runsOfSession("ses_1", { atOrBefore: 99, limit: 5 })).toEqual([]);
});
