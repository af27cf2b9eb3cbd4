import type { Report } from "../diagnostics.ts";
import type { Field } from "../field.ts";
import type { Policy } from "../manifest.ts";
import { codesOf, tokenCount, wordOf } from "../value.ts";

const HINT = "Write `40k tokens` per run, or `$3` per day.";

/** Reads Budget: amounts in backticks, each with `per run` or `per day` after it. */
export function readBudget(field: Field, report: Report): Policy["budget"] {
  const budget: Policy["budget"] = { run: { tokens: null, usd: null }, day: { tokens: null, usd: null } };
  const amounts = codesOf(field.tokens);
  if (amounts.length === 0) {
    report.error("MW414", wordOf(field), "Budget has no amount in backticks", { hint: HINT });
  }
  for (const token of amounts) {
    const after = field.tokens[field.tokens.indexOf(token) + 1];
    const scope =
      after?.kind === "text" ? /^\s*(?:per|a|each)\s+(run|day)\b/i.exec(after.text)?.[1] : undefined;
    const amount = amountOf(token.text);
    if (!amount) {
      report.error("MW414", token, `"${token.text}" is not an amount`, { hint: HINT });
    } else if (!scope) {
      report.error("MW414", token, `Budget \`${token.text}\` is not said to be per run or per day`, {
        hint: HINT,
      });
    } else {
      const row = scope.toLowerCase() === "run" ? budget.run : budget.day;
      if (row[amount.unit] !== null)
        report.error("MW007", token, `Budget per ${scope} is set twice`, { hint: "Keep one." });
      row[amount.unit] = amount.value;
    }
  }
  return budget;
}

function amountOf(text: string): { unit: "tokens" | "usd"; value: number } | undefined {
  const tokens = tokenCount(text);
  if (tokens) return { unit: "tokens", value: tokens };
  const money = /^\$(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})$/.exec(text);
  const usd = money ? Number(money[1]) : 0;
  return usd > 0 ? { unit: "usd", value: usd } : undefined;
}
