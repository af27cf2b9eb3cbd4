import type { Report } from "../diagnostics.ts";
import { isBlank, type Field, type Token } from "../field.ts";
import type { Input, Invoke } from "../manifest.ts";
import { isTimeZone, scheduleFault } from "../schedule-text.ts";
import { codesOf, wordOf } from "../value.ts";

const TAG = /^memo tag:([^\s`,]{1,100})$/;

/** The ways to start a run; `queue` when none is named. */
export function readInvoke(
  field: Field | undefined,
  inputs: readonly { input: Input; field: Field }[],
  report: Report,
): Invoke[] {
  if (!field || isBlank(field.tokens)) {
    if (field) report.info("MW113", field.keySpan, "Invoke has no code form; taken as `queue`");
    return [{ kind: "queue" }];
  }
  if (codesOf(field.tokens).length === 0) {
    const bare = simpleInvoke(wordOf(field).text);
    if (!bare) report.info("MW113", wordOf(field), "Invoke has no code form; taken as `queue`");
    return [bare ?? { kind: "queue" }];
  }
  const invokes: Invoke[] = [];
  for (const [index, token] of field.tokens.entries()) {
    const last = invokes.at(-1);
    if (token.kind === "text") {
      const zone = last?.kind === "schedule" && last.timeZone === null ? bareZone(token) : undefined;
      if (zone) {
        report.error("MW114", zone, `"${zone.text}" is not read without backticks`, {
          hint: `Write in \`${zone.text}\`.`,
          fix: { title: "Put it in backticks", span: zone, text: `\`${zone.text}\`` },
        });
      }
      continue;
    }
    const before = field.tokens[index - 1];
    if (
      last?.kind === "schedule" &&
      last.timeZone === null &&
      before?.kind === "text" &&
      /\bin\s*$/.test(before.text)
    ) {
      if (isTimeZone(token.text)) last.timeZone = token.text;
      else {
        report.error("MW114", token, `"${token.text}" is not a time zone`, {
          hint: "Write `Europe/Berlin`.",
        });
      }
      continue;
    }
    const invoke = readOneInvoke(token, report);
    if (invoke) invokes.push(invoke);
  }
  if (invokes.some(({ kind }) => kind === "schedule")) {
    for (const { input, field } of inputs) {
      if (!input.required) continue;
      report.warn("MW118", field.span, `Required input on a schedule: nothing will fill \`${input.name}\``, {
        hint: "Give it a default or mark it `?`.",
      });
    }
  }
  return invokes;
}

const BARE_ZONE = /\b(?:in|at|zone)\s+["'(]?([A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*)/gi;

/** What looks like the time zone of a schedule but is prose: the schedule would keep another time. */
function bareZone({ text, start }: Token): { text: string; start: number; end: number } | undefined {
  for (const match of text.matchAll(BARE_ZONE)) {
    const name = match[1] ?? "";
    if (!name.includes("/") && !(/^[A-Z]/.test(name) && isTimeZone(name))) continue;
    const at = start + match.index + match[0].length - name.length;
    return { text: name, start: at, end: at + name.length };
  }
  return undefined;
}

const simpleInvoke = (text: string): Invoke | undefined =>
  text === "queue" || text === "command" ? { kind: text } : undefined;

function readOneInvoke(token: Token, report: Report): Invoke | undefined {
  const simple = simpleInvoke(token.text);
  if (simple) return simple;
  const tag = TAG.exec(token.text);
  if (tag) return { kind: "memo", tag: tag[1] ?? "" };
  const schedule = /^schedule\s+(.+)$/.exec(token.text);
  const fault = schedule ? scheduleFault(schedule[1] ?? "") : "form";
  if (schedule && fault === null) return { kind: "schedule", expression: schedule[1] ?? "", timeZone: null };
  if (fault === "never") {
    report.error("MW114", token, `"${token.text}" never comes`, {
      hint: "Name a day that its months have, and a year that is not over.",
    });
  } else if (fault === "too fine") {
    report.error("MW116", token, "The schedule is finer than 5 minutes", {
      hint: "Passes run every 5 minutes.",
    });
  } else {
    report.error("MW114", token, `"${token.text}" is not a way to start a run`, {
      hint: schedule
        ? "A schedule is `schedule cron(0 7 ? * MON *)` or `schedule rate(1 hour)`."
        : "Use `queue`, `command`, `schedule …` or `memo tag:T`.",
    });
  }
  return undefined;
}
