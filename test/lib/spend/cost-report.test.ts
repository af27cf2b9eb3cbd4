import { expect, test } from "vitest";
import { parseDayRow } from "../../../lib/spend/day-row.ts";
import { CostQuery, spendReport } from "../../../lib/spend/cost-report.ts";

const row = (sk: string, workflowId: string, microUsd: number) =>
  parseDayRow({ sk, workflowId, ownerUid: "owner", tokens: 10, microUsd, calls: 1 });
const AT = Date.parse("2026-01-07T12:00:00Z");

test("a day of which only some rows were read is left out, and the report says from when it is whole", async () => {
  const rows = [row("2026-01-07", "a", 1), row("2026-01-06", "a", 2), row("2026-01-05", "a", 4)];
  const spend = { rowsOf: async () => ({ rows, cutDay: "2026-01-05" }) };
  const report = await spendReport({ spend }, "owner", { by: "workflow", days: 7, at: AT });
  expect(report).toMatchObject({ from: "2026-01-06", to: "2026-01-07", complete: false });
  expect(report.lines.get("a")).toMatchObject({ microUsd: 3, calls: 2 });
});

test("what is asked for is a number of whole days that are still kept", () => {
  expect(CostQuery.parse({})).toEqual({ by: "workflow", since: 7 });
  expect(CostQuery.parse({ since: "92d" }).since).toBe(92);
  for (const since of ["93d", "0d", "7", "24h", "-1d", "1.5d"]) {
    expect(CostQuery.safeParse({ since }).success).toBe(false);
  }
});
