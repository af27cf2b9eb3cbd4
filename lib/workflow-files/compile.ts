import * as z from "zod";
import { sha256 } from "../core/bytes.ts";
import { MINUTE_MS, SECOND_MS } from "../core/duration.ts";
import { foldWhitespace } from "../core/text.ts";
import { hashManifest } from "../workflows/manifest-hash.ts";
import { MANIFEST_VERSION, type Manifest, type Step } from "../workflows/manifest.ts";
import { defaultPolicy } from "../workflows/sections/policy.ts";
import { checkIds, checkReferences } from "./check-references.ts";
import { fieldsOf, type Fields } from "./fields.ts";
import { readFrontMatter, type MapValue } from "./front-matter.ts";
import { readInputs } from "./inputs.ts";
import { readMetadata } from "./metadata.ts";
import { createFileReport, type FileDiagnostic, type FileReport } from "./report.ts";
import { mentionsOf, readSteps, type Names, type StepDraft } from "./steps.ts";
import { readTriggers } from "./triggers.ts";

/** Changes when the same file may compile to another manifest. */
export const FILE_COMPILER = "workflow-file/0.1.0";

export type CompiledFile =
  | { ok: true; manifest: Manifest; diagnostics: FileDiagnostic[] }
  | { ok: false; manifest: null; diagnostics: FileDiagnostic[] };

const FIELDS = [
  "name",
  "id",
  "description",
  "version",
  "inputs",
  "outputs",
  "result",
  "steps",
  "start",
  "triggers",
  "approval",
  "risk_level",
  "timeout_ms",
  "max_steps",
  "retry",
  "cost_class",
  "tags",
  "metadata",
];
/** Names of the form that mean something which is not done here: a file must not seem to have it. */
const UNSUPPORTED = {
  entry: "Tools and transforms are registered in code",
  suspendable: "Runs wait at holds alone",
  requires: "What a file needs are its tools and transforms",
} as const;

/** As long as a step of a workflow memo may take at most. */
const MAX_TIMEOUT_MS = 12 * MINUTE_MS;
/** The memo of a file changes with its bytes, never with the time at which it was compiled. */
const COMPILED_AT = new Date(0).toISOString();

/**
 * Compiles a workflow file: YAML front matter, then prose for people. Any diagnostic means that there is no
 * manifest. The same text gives the same manifest. Never throws by itself.
 */
export function compileWorkflowFile(text: string, given: Names & { workflowId: string }): CompiledFile {
  const report = createFileReport(text);
  const front = readFrontMatter(text, report);
  const manifest = front && assemble(front, text, given, report);
  const diagnostics = report.sorted();
  if (!manifest || diagnostics.length > 0) return { ok: false, manifest: null, diagnostics };
  return { ok: true, manifest: { ...manifest, manifestHash: hashManifest(manifest) }, diagnostics };
}

function assemble(
  front: MapValue,
  text: string,
  given: Names & { workflowId: string },
  report: FileReport,
): Omit<Manifest, "manifestHash"> | undefined {
  const fields = fieldsOf(withoutUnsupported(front, report), FIELDS, "a workflow file", report);
  const place = (span: { start: number }) => {
    const before = text.slice(0, span.start);
    return { line: before.split("\n").length, column: span.start - before.lastIndexOf("\n") };
  };
  for (const name of ["name", "id", "description", "version", "steps"]) fields.needs(name);
  const title = fields.text("name", { max: 80 });
  const id = fields.text("id", {
    min: 2,
    max: 64,
    pattern: /^[a-z][a-z0-9-]*[a-z0-9]$/,
    wanted: "2 to 64 small letters, digits and -, a letter first, no - last",
  });
  if (id !== undefined && `memo_${id}` !== given.workflowId) {
    report.error("WF012", fields.at("id"), `"${id}" is not the id of ${given.workflowId}`);
  }
  const description = fields.text("description", { max: 2000 });
  fields.text("version", { max: 100, pattern: SEMVER, wanted: 'a version as "1.0.0"' });
  const { inputs, inputSchema } = readInputs(fields.map("inputs"), report);
  const drafts = readFileSteps(fields, given, report, place);
  const { value: result, mentions } = readResult(fields);
  checkReferences(
    drafts,
    inputs.map(({ name }) => name),
    mentions,
    report,
  );
  const metadata = readMetadata(fields, drafts, place, report);
  const schedules = readTriggers(fields.list("triggers") ?? [], { inputs }, report);
  const limits = readLimits(fields, drafts, report);
  const steps = drafts.flatMap(({ step }) => (step === "broken" ? [] : [step]));
  const needsBudget = steps.some(asksModel) && !hasAmount(metadata.budget.run);
  if (needsBudget)
    report.error("WF061", fields.at("metadata"), "An agent needs metadata.budget.run", BUDGET_HINT);
  if (title === undefined || id === undefined || description === undefined || steps.length === 0)
    return undefined;
  const all: Step[] = [
    { id: "input", instructions: "", refs: [], loc: place(front.span), kind: "trigger" },
    ...steps,
    ...(metadata.memo ? [metadata.memo.step] : []),
  ];
  const policy = defaultPolicy();
  return {
    manifestVersion: MANIFEST_VERSION,
    compiler: FILE_COMPILER,
    source: {
      memoId: given.workflowId,
      contentVersion: 1,
      contentHash: sha256(text),
      compiledAt: COMPILED_AT,
    },
    title,
    trigger: {
      command: metadata.command ?? `/${id}`,
      status: "live",
      summary: foldWhitespace(description),
      invoke: [{ kind: "queue" }, { kind: "command" }, ...schedules],
      inputs,
      inputSchema,
    },
    load: [],
    steps: all,
    policy: {
      ...policy,
      approval: { mode: "auto", unless: null },
      tags: metadata.memo?.tags ?? [],
      model: metadata.model ?? policy.model,
      budget: metadata.budget,
      retries: limits.retries ?? policy.retries,
      timeoutMs: limits.timeoutMs ?? policy.timeoutMs,
      concurrency: 1,
      // No step of such a file reads what a reviewer wants changed.
      onChangesRequested: { max: 0 },
    },
    ...(result !== undefined && { result }),
    estimates: {
      guaranteedTokens: 0,
      worstCaseTokens: metadata.budget.run.tokens,
      worstCaseUsd: metadata.budget.run.usd,
    },
  };
}

const SEMVER = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,60})?$/;
const BUDGET_HINT = "Write metadata: { budget: { run: { tokens: 200000 } } }.";

const hasAmount = ({ tokens, usd }: { tokens: number | null; usd: number | null }): boolean =>
  tokens !== null || usd !== null;

const asksModel = (step: Step): boolean =>
  step.kind === "agent" || (step.kind === "map" && step.steps.some(({ kind }) => kind === "agent"));

function withoutUnsupported(front: MapValue, report: FileReport): MapValue {
  const members = new Map(front.members);
  for (const [name, why] of Object.entries(UNSUPPORTED)) {
    const member = members.get(name);
    if (member) report.error("WF013", member.key, `"${name}" is not supported here`, `${why}.`);
    members.delete(name);
  }
  return { ...front, members };
}

type Place = (span: { start: number; end: number }) => { line: number; column: number };

function readFileSteps(fields: Fields, names: Names, report: FileReport, place: Place): StepDraft[] {
  const list = fields.list("steps");
  if (!list) return [];
  if (list.length === 0) report.error("WF023", fields.at("steps"), "A file needs at least one step");
  const drafts = readSteps(list, "file", { names, report, place });
  checkIds(drafts, report);
  const start = fields.text("start", { max: 64 });
  if (start !== undefined && drafts[0] && start !== drafts[0].id) {
    report.error("WF012", fields.at("start"), `"start" must be the first step, "${drafts[0].id}"`);
  }
  return drafts;
}

function readResult(fields: Fields) {
  const value = fields.value("result");
  if (!value) return { value: undefined, mentions: [] };
  const json = z.json().parse(fields.json("result"));
  return { value: json, mentions: mentionsOf(json, value) };
}

/** What the form has beside: read, so that what is wrong is said. */
function readLimits(fields: Fields, drafts: readonly StepDraft[], report: FileReport) {
  fields.map("outputs");
  fields.texts("tags");
  fields.oneOf("approval", ["per-step"]);
  fields.whole("risk_level", 0, 3);
  fields.oneOf("cost_class", ["trivial", "metered", "expensive"]);
  const most = fields.whole("max_steps", 1, 100) ?? 100;
  const count = drafts.reduce((sum, { nested }) => sum + 1 + nested.length, 0);
  if (count > most)
    report.error("WF025", fields.at("steps"), `${count} steps are more than the ${most} allowed`);
  const retry = fields.map("retry");
  const attempts = retry && fieldsOf(retry, ["attempts"], "retry", report).whole("attempts", 1, 6);
  return {
    timeoutMs: fields.whole("timeout_ms", SECOND_MS, MAX_TIMEOUT_MS),
    retries: attempts === undefined ? undefined : attempts - 1,
  };
}
