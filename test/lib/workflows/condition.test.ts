import { describe, expect, it } from "vitest";
import { evaluateCondition, needsHold } from "../../../lib/workflows/condition.ts";
import type { Condition } from "../../../lib/workflows/manifest.ts";
import type { Scope } from "../../../lib/workflows/template.ts";

const scope: Scope = {
  payload: { source: "email", topic: "A Term sheet", tags: ["inbox", "x"], count: 3, empty: "", none: null },
  steps: {
    judge: { returns: "json", text: "", value: { confidence: 0.6, label: "needs-owner", word: "0.9" } },
  },
  run: { id: "run_1" },
};

const condition = (
  path: string,
  operator: Condition["operator"],
  value: string | null = null,
): Condition => ({
  path,
  operator,
  value,
  flags: operator === "matches" ? "i" : null,
});

describe("evaluateCondition", () => {
  it.each([
    ["payload.source", "is", "email", true],
    ["payload.source", "is", "Email", false],
    ["payload.count", "is", "3", true],
    ["payload.source", "is not", "email", false],
    ["payload.missing", "is not", "email", true],
    ["payload.missing", "is", "email", false],
    ["payload.topic", "contains", "Term", true],
    ["payload.tags", "contains", "inbox", true],
    ["payload.tags", "contains", "inb", false],
    ["payload.topic", "matches", "(term|glossary)", true],
    ["payload.count", "matches", "3", false],
    ["payload.source", "exists", null, true],
    ["payload.empty", "exists", null, true],
    ["payload.none", "exists", null, false],
    ["steps.judge.confidence", "below", "0.7", true],
    ["steps.judge.confidence", "above", "0.7", false],
    ["steps.judge.confidence", "below", "0.6", false],
  ] as const)("%s %s %s: %s", (path, operator, value, holds) => {
    expect(evaluateCondition(condition(path, operator, value), scope).holds).toBe(holds);
  });

  it("says why", () => {
    expect(evaluateCondition(condition("payload.source", "is", "slack"), scope).reason).toBe(
      'not: payload.source is "slack"',
    );
    expect(evaluateCondition(condition("payload.missing", "is", "slack"), scope).reason).toBe(
      "payload.missing is missing",
    );
  });
});

describe("needsHold", () => {
  const auto = (unless: Condition | null) => needsHold({ mode: "auto", unless }, scope).hold;

  it("holds by policy, and lets through what the policy approves", () => {
    expect(needsHold({ mode: "hold", unless: null }, scope).hold).toBe(true);
    expect(auto(null)).toBe(false);
    expect(auto(condition("steps.judge.confidence", "below", "0.5"))).toBe(false);
  });

  it("holds where the clause holds", () => {
    expect(auto(condition("steps.judge.confidence", "below", "0.7"))).toBe(true);
    expect(auto(condition("steps.judge.label", "is", "needs-owner"))).toBe(true);
  });

  it.each([
    ["is missing", condition("steps.judge.certainty", "below", "0.7")],
    ["is not a number", condition("steps.judge.word", "below", "0.7")],
    ["has no label", condition("steps.judge.kind", "is", "needs-owner")],
  ])("holds where the value %s: doubt is not an approval", (_, unless) => expect(auto(unless)).toBe(true));
});
