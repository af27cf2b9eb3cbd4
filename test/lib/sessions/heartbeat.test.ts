import { describe, expect, test } from "vitest";
import { HeartbeatReport, mergeHeartbeat } from "../../../lib/sessions/heartbeat.ts";

const AT = Date.UTC(2026, 0, 5, 9, 0, 0);
const report = (told: HeartbeatReport) => HeartbeatReport.parse(told);
const first = mergeHeartbeat(
  undefined,
  report({ busy: true, tokensIn: 100, tokensOut: 10, lastTurnErroredAt: AT - 50, lastTurnError: "late one" }),
  AT,
);

describe("what is known after a report", () => {
  test("a newer report replaces what it names and keeps the rest", () => {
    const merged = mergeHeartbeat(first, report({ busy: false, pendingBackgroundTasks: 2 }), AT + 10);
    expect(merged).toMatchObject({
      busy: false,
      pendingBackgroundTasks: 2,
      tokensIn: 100,
      reportedAt: AT + 10,
    });
    expect(merged.revision).toBe(first.revision + 1);
  });

  test("a report that arrives late changes nothing that was told since", () => {
    const merged = mergeHeartbeat(
      first,
      report({ at: AT - 1000, busy: false, awaitingInput: true }),
      AT + 10,
    );
    expect(merged).toMatchObject({ busy: true, awaitingInput: true, reportedAt: AT, receivedAt: AT + 10 });
  });

  test("counters and times are never lowered", () => {
    const lower = { tokensIn: 1, tokensOut: 1, lastTurnErroredAt: AT - 900, lastTurnError: "an old one" };
    const merged = mergeHeartbeat(first, report(lower), AT + 10);
    expect(merged).toMatchObject({
      tokensIn: 100,
      tokensOut: 10,
      lastTurnErroredAt: AT - 50,
      lastTurnError: "late one",
    });
  });

  test("a late report still raises them", () => {
    const merged = mergeHeartbeat(
      first,
      report({ at: AT - 10, tokensIn: 500, lastTurnErroredAt: AT - 20 }),
      AT,
    );
    expect(merged).toMatchObject({ tokensIn: 500, lastTurnErroredAt: AT - 20, reportedAt: AT });
  });

  test("no error told is not an error taken back", () => {
    const merged = mergeHeartbeat(first, report({ lastTurnErroredAt: null }), AT + 10);
    expect(merged.lastTurnErroredAt).toBe(AT - 50);
  });

  test("a clock that runs ahead is held at the time of arrival", () => {
    const merged = mergeHeartbeat(undefined, report({ at: AT + 9e9, lastTurnErroredAt: AT + 9e9 }), AT);
    expect(merged).toMatchObject({ reportedAt: AT, lastTurnErroredAt: AT });
  });

  test("the same report twice tells the same", () => {
    const again = mergeHeartbeat(first, report({ busy: true, tokensIn: 100, tokensOut: 10 }), AT);
    expect({ ...again, revision: 0 }).toEqual({ ...first, revision: 0 });
  });
});

test.each([
  { surprise: 1 },
  { busy: "yes" },
  { tokensIn: -1 },
  { tokensIn: 1.5 },
  { turns: Array.from({ length: 11 }, () => ({ role: "user", text: "" })) },
  { turns: [{ role: "user", text: "x".repeat(3001) }] },
  { turns: [{ role: "user", text: "", secret: 1 }] },
  { toolCalls: Array.from({ length: 121 }, () => ({ tool: "t" })) },
  { openedPrs: Array.from({ length: 21 }, () => ({ url: "u" })) },
  { received: ["../SESSION"] },
])("a report that is too much or unknown is refused: case %#", (told) => {
  expect(HeartbeatReport.safeParse(told).success).toBe(false);
});
