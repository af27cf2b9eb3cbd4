import { utf8Bytes } from "../core/bytes.ts";
import { AppError } from "../core/errors.ts";
import { deriveId } from "../core/ids.ts";
import { truncate, foldWhitespace } from "../core/text.ts";
import { MEMO_TEXT_MAX_BYTES } from "../memos/memo.ts";
import { sourceMoved } from "../dispatch/memo.ts";
import { changeSize } from "../holds/change-size.ts";
import { proposalSha, type FrozenProposal, type Proposal, type ProposalTarget } from "../holds/proposal.ts";
import { runGuards } from "../holds/run-guards.ts";
import type { Item } from "../queue/item.ts";
import type { OutputStep } from "../workflows/manifest.ts";
import { renderTemplate, type Scope } from "../workflows/template.ts";
import { scopeOf, type Plan } from "./plan.ts";
import type { Finished } from "./process-step.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { readTarget } from "./target.ts";

const TITLE_MAX = 200;

/**
 * The proposal of an output step: exact bytes, target and base. Target, tags and destination come from the
 * policy and the item alone; of the model's text, or of what an action gave in its place, only the bytes are used,
 * and a title where the author left it.
 * @throws {AppError} target_missing, target_forbidden, source_moved, output_too_large
 */
export async function freezeProposal(
  deps: Pick<RunnerDeps, "memos" | "gateMemoIds" | "hasMemo">,
  run: Run,
  plan: Plan,
  {
    step,
    item,
    finished,
    acted = null,
  }: { step: OutputStep; item: Item; finished: Finished; acted?: string | null },
): Promise<FrozenProposal> {
  const { policy } = plan.manifest;
  const scope = scopeOf(plan, finished);
  const current = await readTarget(deps, run.ownerUid, plan);
  const zone = item.landing.targetNotes ? "notes" : "body";
  const text = outputText(step, acted ?? judgedText(plan, step, finished), current?.[zone]);
  checkSize(step.id, text);
  const policyTags = [...policy.tags, ...step.addTags].map((tag) => renderTemplate(tag, scope));
  const tags = {
    body: union(current?.tags, policyTags, item.landing.tags?.body),
    notes: union(current?.notesTags, item.landing.tags?.notes),
  };
  const target: ProposalTarget = current
    ? { kind: "update", memoId: current.memoId, base: current.contentVersion }
    : { kind: "create", memoId: deriveId("memo", run.runId, step.id), visibility: policy.visibility };
  const source = sourceOf(item, target);
  const proposal: Proposal = {
    stepId: step.id,
    revision: run.revision,
    destination: policy.destination,
    target,
    zone,
    // As they would be stored: half a surrogate pair has no bytes, and what is shown must be what lands.
    title: current?.title ?? newTitle(plan, step, scope, text).toWellFormed(),
    text: text.toWellFormed(),
    tags,
    source,
  };
  const moved = source && (await sourceMoved(deps, run.ownerUid, source));
  if (moved) throw moved;
  const base = current ? (zone === "body" ? current.body : current.notes) : null;
  const guards = await runGuards(policy.guards, proposal, {
    base,
    gateMemoIds: () => deps.gateMemoIds(run.ownerUid),
    hasMemo: (ref) => deps.hasMemo(run.ownerUid, ref),
  });
  const size = changeSize(base, proposal.text);
  return { ...proposal, sha256: proposalSha(proposal), guards, size };
}

function judgedText(plan: Plan, step: OutputStep, finished: Finished): string {
  const lastProcess = plan.manifest.steps.findLast(({ kind }) => kind === "process");
  return finished.get(step.from ?? lastProcess?.id ?? "")?.text ?? "";
}

function outputText(step: OutputStep, text: string, before: string | undefined): string {
  if (step.write !== "append" || !before) return text;
  return `${before.trimEnd()}\n\n${text}`;
}

/** Before anything is shown or decided: what no memo can hold could never land. */
function checkSize(stepId: string, text: string): void {
  const actual = utf8Bytes(text);
  if (actual <= MEMO_TEXT_MAX_BYTES) return;
  throw new AppError(
    "output_too_large",
    `step ${stepId} would write ${actual} bytes of ${MEMO_TEXT_MAX_BYTES}`,
    {
      limit: MEMO_TEXT_MAX_BYTES,
      actual,
    },
  );
}

/** The author's template, else the draft's first heading, else the workflow's title: one line, bounded. */
function newTitle(plan: Plan, step: OutputStep, scope: Scope, text: string): string {
  const heading = /^#\s+(.+)$/m.exec(text)?.[1];
  const title = step.title === null ? (heading ?? plan.manifest.title) : renderTemplate(step.title, scope);
  return truncate(foldWhitespace(title), TITLE_MAX) || plan.manifest.title;
}

function sourceOf(item: Item, target: ProposalTarget): Proposal["source"] {
  const { source } = item.landing;
  if (!source || (source.contentHash === undefined && source.notesHash === undefined)) return null;
  const { contentHash, notesHash } = source;
  return {
    memoId: source.memoId ?? target.memoId,
    ...(contentHash !== undefined && { contentHash }),
    ...(notesHash !== undefined && { notesHash }),
  };
}

const union = (...lists: (readonly string[] | undefined)[]): string[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];
