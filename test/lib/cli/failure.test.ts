import { describe, expect, test } from "vitest";
import { EXIT, failureOf } from "../../../lib/cli/failure.ts";
import { exitOfRun } from "../../../lib/cli/run/follow-run.ts";
import { ERRORS, type ErrorCode } from "../../../lib/core/errors.ts";

const exitOf = (code: ErrorCode) =>
  failureOf({ status: ERRORS[code].httpStatus, code, detail: "x" }).exitCode;

describe("a refusal ends with its exit code", () => {
  test.each([
    ["unauthenticated", EXIT.notAllowed],
    ["scope_missing", EXIT.notAllowed],
    ["decider_not_allowed", EXIT.notAllowed],
    ["memo_not_found", EXIT.notFound],
    ["workflow_not_found", EXIT.notFound],
    ["memo_version_conflict", EXIT.conflict],
    ["already_decided", EXIT.conflict],
    ["stale_proposal", EXIT.conflict],
    ["workflow_invalid", EXIT.compileErrors],
    ["payload_invalid", EXIT.usage],
    ["storage_unavailable", EXIT.failed],
  ] as const)("%s: %i", (code, exit) => expect(exitOf(code)).toBe(exit));

  test("a host that is not there says how to start one", () => {
    const failure = failureOf({ status: 0, code: "unreachable", detail: "ECONNREFUSED" });
    expect(failure.exitCode).toBe(EXIT.failed);
    expect(failure.hint).toContain("npm start");
  });

  test("places of what is wrong are named once", () => {
    const failing = [
      { pointer: "/topic", message: "is required" },
      { pointer: "/x", message: "must be a number" },
    ];
    const { message } = failureOf({
      status: 400,
      code: "payload_invalid",
      detail: "/topic: is required",
      failing,
    });
    expect(message).toBe("/topic: is required\n  /x must be a number");
  });
});

describe("a run that stopped ends with its exit code", () => {
  const error = (code: string) => ({ code, message: "" });
  test.each([
    ["done", null, EXIT.ok],
    ["suspended", null, EXIT.held],
    ["suspended", null, EXIT.held, "conflict"],
    ["suspended", null, EXIT.budget, "budget"],
    ["failed", error("model_failed"), EXIT.runFailed],
    ["failed", error("budget_exhausted"), EXIT.budget],
    ["cancelled", null, EXIT.runFailed],
  ] as const)("%s, %o: %i %s", (status, why, exit, holdKind?: string) =>
    expect(exitOfRun({ status, error: why, holdKind: holdKind ?? null })).toBe(exit),
  );
});
