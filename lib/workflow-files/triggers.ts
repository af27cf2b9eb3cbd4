import * as z from "zod";
import type { Invoke, Manifest } from "../workflows/manifest.ts";
import { checkPayload } from "../workflows/payload.ts";
import { isTimeZone, scheduleFault } from "../workflows/schedule-text.ts";
import { fieldsOf, type Fields } from "./fields.ts";
import { jsonOf, type Value } from "./front-matter.ts";
import type { FileReport } from "./report.ts";

type ScheduleInvoke = Extract<Invoke, { kind: "schedule" }>;

/** The schedules of a file; a paused one runs only once somebody has switched it on. */
export function readTriggers(
  list: readonly Value[],
  inputs: Pick<Manifest["trigger"], "inputs">,
  report: FileReport,
): ScheduleInvoke[] {
  return list.flatMap((value) => {
    if (value.kind === "map") return readSchedule(value, inputs, report) ?? [];
    report.error("WF012", value.span, "A trigger must be names and their values");
    return [];
  });
}

const FIELDS = ["kind", "cron", "rate", "timeZone", "status", "input"];

function readSchedule(
  map: Value & { kind: "map" },
  { inputs }: Pick<Manifest["trigger"], "inputs">,
  report: FileReport,
): ScheduleInvoke | undefined {
  const fields = fieldsOf(map, FIELDS, "a trigger", report);
  if (fields.needs("kind")) fields.oneOf("kind", ["schedule"]);
  const expression = readExpression(fields, report);
  const timeZone = fields.text("timeZone", { max: 100 }) ?? null;
  if (timeZone !== null && !isTimeZone(timeZone)) {
    report.error(
      "WF052",
      fields.at("timeZone"),
      `"${timeZone}" is no time zone`,
      "Write a name as Europe/Berlin.",
    );
  }
  const status = fields.oneOf("status", ["paused", "live"]) ?? "live";
  const given = fields.map("input");
  const payload = given && z.record(z.string(), z.json()).parse(jsonOf(given));
  const checked = checkPayload({ inputs: [...inputs], invoke: [] }, JSON.stringify(payload ?? {}));
  if (!checked.ok) {
    for (const { message } of checked.failing) report.error("WF051", given?.span ?? map.span, message);
  }
  if (expression === undefined) return undefined;
  return {
    kind: "schedule",
    expression,
    timeZone,
    ...(payload && { payload }),
    ...(status === "paused" && { paused: true }),
  };
}

function readExpression(fields: Fields, report: FileReport): string | undefined {
  const hasCron = fields.has("cron");
  if (hasCron === fields.has("rate")) {
    report.error("WF011", fields.span, 'A schedule has either "cron" or "rate"');
    return undefined;
  }
  const name = hasCron ? "cron" : "rate";
  const text = fields.text(name, { max: 200 });
  if (text === undefined) return undefined;
  const expression = hasCron ? cronOf(text) : /^rate\(.*\)$/.test(text) ? text : `rate(${text})`;
  const fault = expression === undefined ? "form" : scheduleFault(expression);
  if (fault === null) return expression;
  report.error("WF050", fields.at(name), `"${text}" ${SAYS[fault]}`, HINTS[name]);
  return undefined;
}

const SAYS = {
  form: "is no schedule",
  "too fine": "comes more often than every five minutes",
  never: "never comes",
};
const HINTS = {
  cron: 'Five fields, "0 * * * *", or six as in "0 9 ? * MON-FRI *"; a day of the month or of the week, not both.',
  rate: '"5 minutes", "1 hour", "2 days".',
};

/** The six fields that schedules have here, also from the five that cron has elsewhere; undefined for neither. */
function cronOf(text: string): string | undefined {
  const inner = /^cron\((.*)\)$/.exec(text.trim())?.[1] ?? text;
  const fields = inner.trim().split(/\s+/);
  if (fields.length === 6) return `cron(${fields.join(" ")})`;
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (fields.length !== 5 || dayOfMonth === undefined || dayOfWeek === undefined) return undefined;
  if (dayOfWeek === "*") return `cron(${minute} ${hour} ${dayOfMonth} ${month} ? *)`;
  if (dayOfMonth !== "*") return undefined;
  // Sunday is 0 or 7 there, and 1 here; the number after a slash is no day.
  const days = dayOfWeek.replace(/(?<![/\d])\d/g, (day) => String((Number(day) % 7) + 1));
  return `cron(${minute} ${hour} ? ${month} ${days} *)`;
}
