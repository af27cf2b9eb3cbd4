import { utf8Bytes } from "../core/bytes.ts";
import { parseMarkdown, spanOf, type Markdown } from "../core/markdown.ts";
import { connect, type Parts } from "./connect.ts";
import { createReport, MAX_DIAGNOSTICS, type Diagnostic, type Report } from "./diagnostics.ts";
import { reportHidden } from "./hidden.ts";
import { outlineOf, reportMissing } from "./outline.ts";
import { readLoadContract } from "./sections/load-contract.ts";
import { readPolicy } from "./sections/policy.ts";
import { TEXT_MAX_BYTES, TEXT_MAX_COST, type SectionContext } from "./sections/section.ts";
import { readSteps } from "./sections/steps.ts";
import { readTrigger } from "./sections/trigger.ts";

/** A workflow as far as its text alone says it: memos, commands and models are not looked up yet. */
export type Draft = Parts & { title: string | null; markdown: Pick<Markdown, "range"> };

/** Reads a workflow's text without a library. Never throws, whatever the text. */
export function parseWorkflow(text: string): { draft: Draft; diagnostics: Diagnostic[] } {
  if (utf8Bytes(text) > TEXT_MAX_BYTES) {
    return refused((report) =>
      report.error("MW009", { start: 0, end: 0 }, "The memo is too long to be a workflow (64 kB)", {
        hint: "Move reference text to memos and load them.",
      }),
    );
  }
  const markdown = parseMarkdown(text, TEXT_MAX_COST);
  if (markdown.refused) {
    const { tooMany, at } = markdown.refused;
    return refused(
      (report) =>
        report.error("MW010", { start: at, end: at }, `The memo has too many ${tooMany} to be a workflow`, {
          hint: "Move reference text to memos and load them.",
        }),
      markdown,
    );
  }
  const report = createReport(markdown);
  reportSettingsInFrontMatter(markdown, report);
  const outline = outlineOf(markdown, report);
  reportMissing(outline, markdown, report);
  const context: SectionContext = { markdown, report };
  const { sections } = outline;
  const trigger = sections.get("Trigger");
  const load = sections.get("Load Contract");
  const steps = sections.get("Steps");
  const policy = sections.get("Policy");
  const parts: Parts = {
    trigger: trigger ? readTrigger(trigger, context) : null,
    loads: load ? readLoadContract(load, context) : [],
    steps: steps ? { ...readSteps(steps, context), heading: steps.heading } : null,
    policy: policy ? readPolicy(policy, context) : null,
  };
  connect(parts, report);
  reportHidden(markdown, report);
  return { draft: { ...parts, title: outline.title, markdown }, diagnostics: report.sorted() };
}

function refused(
  say: (report: Report) => void,
  markdown: Draft["markdown"] = parseMarkdown(""),
): { draft: Draft; diagnostics: Diagnostic[] } {
  const report = createReport(markdown);
  say(report);
  const draft: Draft = { trigger: null, loads: [], steps: null, policy: null, title: null, markdown };
  return { draft, diagnostics: report.sorted() };
}

/** Front matter belongs to the memo store; these names would look as if they were obeyed. */
const SETTINGS =
  /^(command|status|invoke|summary|inputs?|load|gates?|hooks?|steps|approval|destination|target|model|budget|retries|timeout|concurrency|dedupe[ _-]?key|hold[ _-]?expires|on[ _-]?changes[ _-]?requested|approve[ _-]?from|reviewers|guards|on[ _-]?failure)[ \t]*:/gim;
const TRIGGER_SETTINGS = /^(?:command|status|invoke|summary|input)/i;

function reportSettingsInFrontMatter({ root, source }: Markdown, report: Report): void {
  const yaml = root.children[0];
  if (yaml?.type !== "yaml") return;
  const { start, end } = spanOf(yaml);
  let said = 0;
  for (const match of source.slice(start, end).matchAll(SETTINGS)) {
    if (++said > MAX_DIAGNOSTICS) return;
    const name = match[1] ?? "";
    const at = start + match.index;
    const section = TRIGGER_SETTINGS.test(name)
      ? "Trigger"
      : /^(?:load|gate|hook)/i.test(name)
        ? "Load Contract"
        : /^steps/i.test(name)
          ? "Steps"
          : "Policy";
    report.error(
      "MW008",
      { start: at, end: at + name.length },
      "Workflow settings in front matter are not read",
      { hint: `Move "${name}" to ## ${section}.` },
    );
  }
}
