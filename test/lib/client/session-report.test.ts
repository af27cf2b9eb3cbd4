import { describe, expect, test } from "vitest";
import { createSessionReport } from "../../../lib/client/session-report.ts";
import { HeartbeatReport } from "../../../lib/sessions/heartbeat.ts";

const EMOJI = "🦉";

describe("a session's report", () => {
  test("is a heartbeat that the API takes, however much was told", () => {
    const report = createSessionReport();
    for (let at = 1; at <= 300; at++) {
      report.turn({ role: at % 2 ? "user" : "assistant", text: `${EMOJI.repeat(3000)}${at}`, at });
      report.toolCall({ tool: EMOJI.repeat(80), command: `x${EMOJI.repeat(200)}`, at });
      report.received(`000000000000001-m${at}`);
    }
    report.failed({ at: 5, text: EMOJI.repeat(400) });
    const body = report.body(1000);
    const read = HeartbeatReport.parse(JSON.parse(JSON.stringify(body)));
    expect(read.turns).toHaveLength(10);
    expect(read.toolCalls).toHaveLength(120);
    expect(read.toolCalls?.at(-1)?.at).toBe(300);
    expect(read.turnsCompleted).toBe(150);
    expect(JSON.stringify(body).isWellFormed()).toBe(true);
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
  });

  test("keeps an assistant's last words and a person's first ones", () => {
    const report = createSessionReport();
    report.turn({ role: "user", text: `first ${"x".repeat(4000)} last`, at: 1 });
    report.turn({ role: "assistant", text: `first ${"x".repeat(4000)} last`, at: 2 });
    const { turns = [] } = HeartbeatReport.parse(report.body(3));
    expect(turns[0]?.text.startsWith("first")).toBe(true);
    expect(turns[1]?.text.endsWith("last")).toBe(true);
  });

  test("says again what did not arrive, and a receipt only until it has", () => {
    const report = createSessionReport();
    report.received("000000000000001-a");
    const lost = report.body(1);
    report.undo();
    expect(report.isNew).toBe(true);
    expect(report.body(2)["received"]).toEqual(lost["received"]);
    const arrived = report.body(3);
    report.received("000000000000002-b");
    report.confirm(arrived);
    expect(report.body(4)["received"]).toEqual(["000000000000002-b"]);
  });

  test("goes on counting turns where another process stopped", () => {
    const first = createSessionReport();
    first.turn({ role: "assistant", text: "done", at: 1 });
    const second = createSessionReport(first.window);
    second.turn({ role: "assistant", text: "done again", at: 2 });
    expect(second.body(3)).toMatchObject({
      turnsCompleted: 2,
      turns: [{ text: "done" }, { text: "done again" }],
    });
  });
});
