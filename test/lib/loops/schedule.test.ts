import { describe, expect, test } from "vitest";
import { latestSlot, nextSlot, type Schedule } from "../../../lib/loops/schedule.ts";

const at = (iso: string): number => Date.parse(iso);
const schedule = (expression: string, timeZone: string | null = null): Schedule => ({
  expression,
  timeZone,
  anchorAt: at("2026-01-05T09:02:00Z"),
});

/** The next slots after a time, as they are written in UTC. */
function slots(given: Schedule, after: string, count: number): string[] {
  const found: string[] = [];
  for (let from = at(after); found.length < count;) {
    const slot = nextSlot(given, from);
    if (slot === null) break;
    found.push(new Date(slot).toISOString().replace(":00.000Z", "Z"));
    from = slot;
  }
  return found;
}

describe("EventBridge's form", () => {
  test.each([
    ["cron(0 7 ? * MON *)", ["2026-01-12T07:00Z", "2026-01-19T07:00Z"]],
    // 1 is Sunday.
    ["cron(0 7 ? * 1 *)", ["2026-01-11T07:00Z", "2026-01-18T07:00Z"]],
    ["cron(0 7 ? * L *)", ["2026-01-10T07:00Z", "2026-01-17T07:00Z"]],
    ["cron(0 7 ? * 6L *)", ["2026-01-30T07:00Z", "2026-02-27T07:00Z"]],
    ["cron(0 7 ? * 6#3 *)", ["2026-01-16T07:00Z", "2026-02-20T07:00Z"]],
    ["cron(0 7 L * ? *)", ["2026-01-31T07:00Z", "2026-02-28T07:00Z"]],
    ["cron(0 7 LW * ? *)", ["2026-01-30T07:00Z", "2026-02-27T07:00Z"]],
    ["cron(0 7 1W * ? *)", ["2026-02-02T07:00Z", "2026-03-02T07:00Z"]],
    ["cron(5/20 7 ? * MON-FRI *)", ["2026-01-06T07:05Z", "2026-01-06T07:25Z"]],
    ["cron(0/90 7 * * ? *)", ["2026-01-06T07:00Z", "2026-01-07T07:00Z"]],
    ["cron(0 7 1 JAN ? 2027/2)", ["2027-01-01T07:00Z", "2029-01-01T07:00Z"]],
    ["cron(0 7 1 1 ? 2025)", []],
    ["cron(0 7 30 FEB ? *)", []],
    ["rate(5 minutes)", ["2026-01-05T09:07Z", "2026-01-05T09:12Z"]],
    ["rate(1 hour)", ["2026-01-05T10:02Z", "2026-01-05T11:02Z"]],
    ["rate(2 days)", ["2026-01-07T09:02Z", "2026-01-09T09:02Z"]],
  ])("%s", (expression, expected) => {
    expect(slots(schedule(expression), "2026-01-05T09:02:00Z", 2)).toEqual(expected);
  });

  test("an expression that cannot be read is never due", () => {
    expect(nextSlot(schedule("cron(what)"), 0)).toBeNull();
    expect(nextSlot(schedule("cron(99 7 ? * MON *)"), 0)).toBeNull();
  });
});

describe("clocks that change", () => {
  const berlin = (expression: string) => schedule(expression, "Europe/Berlin");

  test("a zone's 07:00 stays 07:00 there over the change", () => {
    expect(slots(berlin("cron(0 7 * * ? *)"), "2026-03-27T12:00:00Z", 3)).toEqual([
      "2026-03-28T06:00Z",
      "2026-03-29T05:00Z",
      "2026-03-30T05:00Z",
    ]);
  });

  test("a skipped local time fires once, at the next instant that exists", () => {
    // 02:00 becomes 03:00 at 01:00 UTC.
    expect(slots(berlin("cron(0/15 2 * * ? *)"), "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-30T00:00Z",
    ]);
    expect(slots(berlin("cron(30 2,3 * * ? *)"), "2026-03-28T12:00:00Z", 3)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-29T01:30Z",
      "2026-03-30T00:30Z",
    ]);
  });

  test("a repeated local time fires once, the first time", () => {
    // 03:00 becomes 02:00 at 01:00 UTC.
    expect(slots(berlin("cron(0/30 2 * * ? *)"), "2026-10-24T12:00:00Z", 4)).toEqual([
      "2026-10-25T00:00Z",
      "2026-10-25T00:30Z",
      "2026-10-26T01:00Z",
      "2026-10-26T01:30Z",
    ]);
    // Asked inside the second pass of the hour.
    expect(slots(berlin("cron(0/30 * * * ? *)"), "2026-10-25T01:10:00Z", 2)).toEqual([
      "2026-10-25T02:00Z",
      "2026-10-25T02:30Z",
    ]);
  });

  test("a zone whose change is half an hour, and one that skipped a day", () => {
    expect(slots(schedule("cron(15 2 * * ? *)", "Australia/Lord_Howe"), "2026-10-03T00:00:00Z", 1)).toEqual([
      "2026-10-03T15:30Z",
    ]);
    expect(slots(schedule("cron(0 12 * * ? *)", "Pacific/Apia"), "2011-12-29T23:00:00Z", 2)).toEqual([
      "2011-12-30T10:00Z",
      "2011-12-30T22:00Z",
    ]);
  });
});

describe("catching up", () => {
  test.each([
    ["cron(0/5 * * * ? *)", "2026-01-05T10:00:00Z", "2026-03-01T12:07:11Z", "2026-03-01T12:05:00.000Z"],
    ["cron(0 7 ? * MON *)", "2026-01-05T07:00:00Z", "2026-01-05T07:04:00Z", "2026-01-05T07:00:00.000Z"],
    ["cron(0 7 ? * MON *)", "2026-01-05T07:00:00Z", "2026-01-27T00:00:00Z", "2026-01-26T07:00:00.000Z"],
    ["rate(5 minutes)", "2026-01-05T09:07:00Z", "2026-01-05T09:33:00Z", "2026-01-05T09:32:00.000Z"],
    ["rate(5 minutes)", "2026-01-05T09:07:00Z", "2026-01-05T09:12:00Z", "2026-01-05T09:12:00.000Z"],
  ])("of the missed slots of %s from %s to %s the newest counts", (expression, first, upTo, expected) => {
    const slot = latestSlot(schedule(expression), at(first), at(upTo));
    expect(new Date(slot).toISOString()).toBe(expected);
  });

  test("inside the repeated hour the newest slot is the one of its first pass", () => {
    const berlin = schedule("cron(0/30 2 * * ? *)", "Europe/Berlin");
    const slot = latestSlot(berlin, at("2026-10-24T00:00:00Z"), at("2026-10-25T01:10:00Z"));
    expect(new Date(slot).toISOString()).toBe("2026-10-25T00:30:00.000Z");
  });
});

test("every slot of a year is later than the one before, in zones on both sides of the equator", () => {
  for (const zone of [
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
  ]) {
    const given = schedule("cron(0/20 1,2,3 * * ? *)", zone);
    let last = at("2026-01-01T00:00:00Z");
    for (let count = 0; count < 1200; count++) {
      const slot = nextSlot(given, last);
      expect(slot).toBeGreaterThan(last);
      last = slot!;
    }
  }
});
