import { describe, expect, it } from "vitest";
import { isTimeZone, scheduleFault } from "../../../lib/workflows/schedule-text.ts";

describe("scheduleFault", () => {
  it.each([
    "cron(0 7 ? * MON *)",
    "cron(0/15 8-17 ? * MON-FRI *)",
    "cron(30 6 1,15 * ? *)",
    "cron(0 0 L * ? 2030)",
    "cron(0 12 ? * 2#1 *)",
    "cron(*/5 * * * ? *)",
    "rate(5 minutes)",
    "rate(1 hour)",
    "rate(2 days)",
  ])("%s is a schedule", (text) => expect(scheduleFault(text)).toBe(null));

  it.each([
    "cron(0 7 * * 1)",
    "cron(0 7 * * * *)",
    "cron(0 7 ? * ? *)",
    "cron(60 7 ? * MON *)",
    "cron(0 7 ? * FUN *)",
    "cron(0 7-3 ? * MON *)",
    "cron(0/0 7 ? * MON *)",
    "rate(0 hours)",
    "rate(1 week)",
    "hourly",
    "",
  ])("%s is none", (text) => expect(scheduleFault(text)).toBe("form"));

  it.each([
    "cron(* * * * ? *)",
    "cron(*/4 * * * ? *)",
    "cron(0,2 7 ? * MON *)",
    "cron(58,0 * * * ? *)",
    "rate(4 minutes)",
  ])("%s is finer than a pass", (text) => expect(scheduleFault(text)).toBe("too fine"));
});

it.each([
  ["Europe/Berlin", true],
  ["UTC", true],
  ["Europe/Berln", false],
  ["", false],
  ["a b", false],
])("%j is a time zone: %s", (name, is) => expect(isTimeZone(name)).toBe(is));
