import { expect, test } from "vitest";
import { allowed } from "../../functions/middleware/log.ts";

test("a field that is not on the list never reaches the log, and what is too long for a code is cut", () => {
  const fields = { runId: "run_1", payload: "the whole brief", body: "a memo", key: "mk_1_2" } as object;
  expect(allowed(fields)).toEqual({ runId: "run_1" });
  expect(allowed({ reason: "x".repeat(10_000) }).reason).toHaveLength(300);
});
