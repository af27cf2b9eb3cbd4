import { listed } from "../workflows/diagnostics.ts";
import type { Manifest, OutputStep } from "../workflows/manifest.ts";
import { parseReference, placeholdersIn } from "../workflows/template.ts";
import { fieldsOf, type Fields } from "./fields.ts";
import type { FileReport } from "./report.ts";
import type { StepDraft } from "./steps.ts";

type Budget = Manifest["policy"]["budget"];

/** What a file says beside its steps: its command, its model, its budget, and the memo that it lands. */
export type Metadata = {
  command: string | undefined;
  model: string | undefined;
  budget: Budget;
  memo: { step: OutputStep; tags: string[] } | undefined;
};

const NO_AMOUNT = { tokens: null, usd: null };

/** Reads `metadata`. */
export function readMetadata(
  file: Fields,
  drafts: readonly StepDraft[],
  place: (span: { start: number; end: number }) => { line: number; column: number },
  report: FileReport,
): Metadata {
  const map = file.map("metadata");
  const none: Metadata = {
    command: undefined,
    model: undefined,
    budget: { run: NO_AMOUNT, day: NO_AMOUNT },
    memo: undefined,
  };
  if (!map) return none;
  const fields = fieldsOf(map, ["command", "model", "budget", "memo"], "metadata", report);
  return {
    command: fields.text("command", {
      max: 65,
      pattern: /^\/[a-z][a-z0-9-]*$/,
      wanted: "a slash, then small letters, digits and -",
    }),
    model: fields.text("model", { max: 200 }),
    budget: readBudget(fields, report),
    memo: readMemo(fields, drafts, place, report),
  };
}

function readBudget(metadata: Fields, report: FileReport): Budget {
  const map = metadata.map("budget");
  if (!map) return { run: NO_AMOUNT, day: NO_AMOUNT };
  const fields = fieldsOf(map, ["run", "day"], "budget", report);
  return { run: readAmount(fields, "run", report), day: readAmount(fields, "day", report) };
}

function readAmount(budget: Fields, name: "run" | "day", report: FileReport): Budget["run"] {
  const map = budget.map(name);
  if (!map) return NO_AMOUNT;
  const fields = fieldsOf(map, ["tokens", "usd"], `the budget of a ${name}`, report);
  return { tokens: fields.whole("tokens", 1, 1_000_000_000) ?? null, usd: fields.amount("usd") ?? null };
}

/** The text of one step, landed as a new memo. */
function readMemo(
  metadata: Fields,
  drafts: readonly StepDraft[],
  place: (span: { start: number; end: number }) => { line: number; column: number },
  report: FileReport,
): Metadata["memo"] {
  const map = metadata.map("memo");
  if (!map) return undefined;
  const fields = fieldsOf(map, ["from", "title", "tags"], "memo", report);
  const from = fields.needs("from") ? fields.text("from", { max: 64 }) : undefined;
  const title = fields.text("title", { max: 300 }) ?? null;
  const tags = fields.texts("tags") ?? [];
  const ids = drafts.map(({ id }) => id);
  if (from !== undefined && !ids.includes(from)) {
    report.error("WF041", fields.at("from"), `No step is named "${from}"`, listed("Steps", ids));
  }
  for (const { inner } of placeholdersIn([title ?? "", ...tags].join("\n"))) {
    if (parseReference(inner)) continue;
    report.error("WF040", map.span, `"{{${inner}}}" is not allowed`, "Only payload., steps. and run.");
  }
  if (from === undefined) return undefined;
  const step: OutputStep = {
    id: "memo",
    instructions: "",
    refs: [`steps.${from}`],
    loc: place(map.span),
    kind: "output",
    title,
    write: "create",
    addTags: [],
    action: null,
    from,
  };
  return { step, tags };
}
