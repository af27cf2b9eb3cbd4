import { utf8Bytes } from "../core/bytes.ts";
import { AppError } from "../core/errors.ts";
import { deriveId } from "../core/ids.ts";
import { changeSize } from "../holds/change-size.ts";
import { besideTarget, edited, ontoVersion } from "../holds/edit.ts";
import { hasMarks } from "../holds/merge.ts";
import { proposalSha, type FrozenProposal, type Proposal } from "../holds/proposal.ts";
import { runGuards } from "../holds/run-guards.ts";
import { MEMO_TEXT_MAX_BYTES } from "../memos/memo.ts";
import { readMemoVersion } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import { conflictSides } from "./conflict-sides.ts";
import type { DecisionRequest } from "./decision-request.ts";
import { readProposal } from "./output-step.ts";
import { readPlan } from "./plan.ts";
import type { Gate, Run } from "./run.ts";
import type { RunStore } from "./store.ts";

export type BytesDeps = {
  runs: RunStore;
  memos: MemoStore;
  /** Memos that any workflow of the owner loads as a gate. */
  gateMemoIds(ownerUid: string): Promise<ReadonlySet<string>>;
  /** Whether a title or an id between double brackets names a memo. */
  hasMemo(ownerUid: string, ref: string): Promise<boolean>;
};

/**
 * What a verdict lets land, where that is other than the bytes shown: with what the guards say of it, for the person
 * to read. A guard refuses nobody here.
 * @throws {AppError} body_too_large, invalid_request, stale_target, merge_conflicts, verdict_not_allowed
 */
export async function decidedBytes(
  deps: BytesDeps,
  run: Run,
  gate: Gate,
  request: DecisionRequest,
): Promise<FrozenProposal | undefined> {
  if (!CHANGES.has(request.verdict)) return undefined;
  const draft = await readProposal(deps.runs, run.runId, gate);
  if (!draft) throw new AppError("internal", `the proposal of ${gate.holdId} is missing`, {});
  const proposal = await proposalOf(deps, run, { draft, gate, request });
  return proposal && frozen(deps, run, proposal);
}

const CHANGES: ReadonlySet<string> = new Set(["approve_edited", "rebase", "replace", "keep_both"]);

async function proposalOf(
  deps: BytesDeps,
  run: Run,
  { draft, gate, request }: { draft: FrozenProposal; gate: Gate; request: DecisionRequest },
): Promise<Proposal | undefined> {
  const { holdId } = gate;
  if (request.verdict === "approve_edited") {
    const { text, title } = request;
    if (title !== undefined && draft.target.kind === "update") {
      throw invalid("/title", "an update keeps the title of its memo");
    }
    return edited(draft, { ...(text !== undefined && { text }), ...(title !== undefined && { title }) });
  }
  if (request.verdict !== "rebase" && request.verdict !== "replace" && request.verdict !== "keep_both") {
    return undefined;
  }
  const { base, theirs, merged, allowed, why } = await conflictSides(deps, run.ownerUid, draft);
  if (!allowed.includes(request.verdict)) {
    const message = `${request.verdict} is not possible: ${why}; ${allowed.join(" or ")} is`;
    throw new AppError("verdict_not_allowed", message, { holdId, verdict: request.verdict, allowed });
  }
  if (request.verdict === "keep_both") {
    const memoId = deriveId("memo", run.runId, gate.stepId, holdId);
    const plan = await readPlan(deps.runs, run.runId);
    const visibility = plan?.manifest.policy.visibility ?? "private";
    return besideTarget(draft, { memoId, visibility, theirs: theirs?.contentVersion ?? null });
  }
  const { onVersion } = request;
  const { memoId } = draft.target;
  if (!theirs || theirs.contentVersion !== onVersion) {
    const current = theirs?.contentVersion ?? null;
    const message = `memo ${memoId} is at version ${current ?? "none"}, not ${onVersion}`;
    throw new AppError("stale_target", message, { holdId, memoId, shown: onVersion, current });
  }
  if (request.verdict === "replace") return ontoVersion(draft, base, theirs, draft.text);
  if (request.text === undefined && merged && merged.conflicts > 0) {
    const message = `${merged.conflicts} places were changed on both sides`;
    throw new AppError("merge_conflicts", message, {
      holdId,
      onVersion,
      conflicts: merged.conflicts,
      merged: merged.text,
    });
  }
  if (request.text !== undefined && hasMarks(request.text, onVersion)) {
    throw invalid("/text", "still has the marks of a conflict");
  }
  return ontoVersion(draft, base, theirs, request.text ?? merged?.text ?? draft.text);
}

/** The proposal with its sha, measured and looked at by the guards again. */
async function frozen(deps: BytesDeps, run: Run, proposal: Proposal): Promise<FrozenProposal> {
  const { target, zone, text } = proposal;
  const actual = utf8Bytes(text);
  if (actual > MEMO_TEXT_MAX_BYTES) {
    throw new AppError("body_too_large", `the text has ${actual} bytes of ${MEMO_TEXT_MAX_BYTES}`, {
      limit: MEMO_TEXT_MAX_BYTES,
      actual,
    });
  }
  const { ownerUid } = run;
  const memo =
    target.kind === "update" ? await readMemoVersion(deps, ownerUid, target.memoId, target.base) : undefined;
  const base = memo?.[zone] ?? null;
  const plan = await readPlan(deps.runs, run.runId);
  const guards = await runGuards(plan?.manifest.policy.guards ?? [], proposal, {
    base,
    gateMemoIds: () => deps.gateMemoIds(ownerUid),
    hasMemo: (ref) => deps.hasMemo(ownerUid, ref),
  });
  return { ...proposal, sha256: proposalSha(proposal), guards, size: changeSize(base, text) };
}

const invalid = (pointer: string, message: string) =>
  new AppError("invalid_request", `the decision is not of the right form at ${pointer}: ${message}`, {
    failing: [{ pointer, message }],
  });
