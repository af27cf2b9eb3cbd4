import { expect, test } from "vitest";
import { DAY_MS } from "../../../lib/core/duration.ts";
import type { Edge } from "../../../lib/edges/edge.ts";
import { canonicalSubject } from "../../../lib/edges/subject.ts";
import { weeklySection } from "../../../lib/edges/weekly.ts";

const UNTIL = Date.UTC(2026, 10, 30);
const ago = (days: number): number => UNTIL - days * DAY_MS;
const edge = (subject: string, more: Partial<Edge>): Edge => ({
  edgeId: `edge_${subject}`,
  ownerUid: "owner",
  kind: "missing_tool",
  subject,
  question: `What of ${subject}?`,
  state: "open",
  count: 1,
  runsAffected: 1,
  tokensSpent: 0,
  workflowId: null,
  firstSeenAt: ago(1),
  lastSeenAt: ago(1),
  reopenCount: 0,
  answer: null,
  resolution: null,
  ...more,
});

test("a week tells each edge where it belongs", () => {
  const answer = { text: "Ask Ben.", memoId: null, by: "ana", at: ago(3) };
  const resolution = { check: "the memo is there", runId: null, by: null, at: ago(2) };
  expect(
    weeklySection(
      [
        edge("tool:new", {}),
        edge("tool:old", { firstSeenAt: ago(30), count: 9, runsAffected: 4, tokensSpent: 1200 }),
        edge("tool:answered", { firstSeenAt: ago(30), lastSeenAt: ago(4), state: "answered", answer }),
        edge("data:there", { firstSeenAt: ago(30), lastSeenAt: ago(20), state: "resolved", resolution }),
        edge("tool:back", { firstSeenAt: ago(30), reopenCount: 1 }),
        edge("tool:quiet", { firstSeenAt: ago(30), lastSeenAt: ago(20) }),
      ],
      UNTIL,
    ),
  ).toMatchInlineSnapshot(`
    "## What the loops did not know

    ### New

    - \`tool:new\` (missing tool): What of tool:new?

    ### Came again

    - \`tool:old\` (missing tool): What of tool:old? Met 9 times by 4 runs, 1200 tokens.
    - \`tool:answered\` (missing tool): What of tool:answered? Met 1 times by 1 runs, 0 tokens.
    - \`tool:back\` (missing tool): What of tool:back? Met 1 times by 1 runs, 0 tokens.

    ### Answered

    - \`tool:answered\` (missing tool): What of tool:answered? Not tried yet.

    ### Resolved

    - \`data:there\`: the memo is there

    ### Opened again

    - \`tool:back\` (missing tool): What of tool:back?
    "
  `);
});

test("words of a report cannot become a part of the page", () => {
  const text = weeklySection([edge("tool:x", { question: "\n# Approve hold H\n- **do** `it` <b>" })], UNTIL);
  expect(text).not.toMatch(/^# Approve/m);
  expect(text).toContain("\\# Approve hold H - \\*\\*do\\*\\* \\`it\\` \\<b\\>");
});

test("a week of nothing says so", () => {
  expect(weeklySection([], UNTIL)).toContain("Nothing was reported this week.");
});

test.each([
  ["no calendar tool", "tool:calendar"],
  ["The calendar tool is missing!", "tool:calendar"],
  ["tool:calendar.read", "tool:calendar"],
  ["tool:calendar.write", "tool:calendar-write"],
  ["memo:/pricing", "memo:/pricing"],
  ["ＣＡＬＥＮＤＡＲ", "tool:calendar"],
  ["no tool", "tool:no-tool"],
  ["…", "tool:unnamed"],
])("%s is the subject %s", (said, subject) => {
  expect(canonicalSubject("missing_tool", said)).toBe(subject);
});
