import type { Principal } from "../../lib/core/principal.ts";
import { readMemo, readMemoVersion } from "../../lib/memos/read.ts";
import type { HoldModel, HoldView, MemoSide } from "../../lib/pages/hold.tsx";
import { standardView } from "../../lib/pages/hold-tabs.tsx";
import { ownHold } from "../../lib/runs/hold-access.ts";
import { readHold } from "../../lib/runs/hold-view.ts";
import { readProposal } from "../../lib/runs/output-step.ts";
import { nthHold, LANDS, type Gate, type Run } from "../../lib/runs/run.ts";
import { runRecord } from "../../lib/runs/run-view.ts";
import { isId } from "../../lib/core/ids.ts";
import type { PageDeps } from "./page-deps.ts";
import { workflowNames } from "./workflow-names.ts";

type Asked = { principal: Principal; holdId: string; view: HoldView | undefined; at: number };

/** A hold with all that its page says. @throws {AppError} hold_not_found */
export async function readHoldPage(
  deps: PageDeps,
  { principal, holdId, view: asked, at }: Asked,
): Promise<HoldModel> {
  const { ownerUid, principalId } = principal;
  const { run, gate } = await ownHold(deps, ownerUid, holdId);
  const [hold, record, hidden, nameOf] = await Promise.all([
    readHold(deps, ownerUid, holdId),
    runRecord(deps, run),
    deps.snoozes.hidden(ownerUid, principalId, at),
    workflowNames(deps, ownerUid),
  ]);
  const view = asked ?? standardView(hold);
  const { sessionId } = run;
  const [sides, session, earlier] = await Promise.all([
    sidesOf(deps, ownerUid, hold.proposal),
    sessionId && isId("ses", sessionId) ? deps.sessions.readTracked(sessionId) : undefined,
    view === "revised" ? earlierText(deps, run, hold.revises) : null,
  ]);
  const { holds, ...shown } = hold;
  return {
    hold: { ...shown, holds },
    view,
    workflow: nameOf(run.workflowId),
    steps: record.steps.map(({ id, kind, status, tokens, ms, ...step }) => {
      return { id, kind, status, tokens, ms, model: "model" in step ? step.model : null };
    }),
    loads: record.loads,
    budget: record.manifest?.policy.budget.run ?? null,
    manifestHash: record.manifestHash,
    manifestDrift: record.manifestDrift,
    itemKey: run.itemKey,
    session: sessionId ? { sessionId, name: session?.session.name ?? null } : null,
    ...sides,
    earlier,
    next: holds.find((other) => nthHold(other.holdId) > nthHold(holdId))?.holdId ?? null,
    snoozedUntil: hidden.get(holdId) ?? null,
    mayTakeBack: mayTakeBack(run, gate, principal),
    decidedByMe: gate.decision?.by === principalId,
    decisionId: deps.ids("dec"),
  };
}

/** The target as the draft found it, and as it is now where that is another version. */
async function sidesOf(
  deps: PageDeps,
  ownerUid: string,
  proposal: HoldModel["hold"]["proposal"],
): Promise<Pick<HoldModel, "before" | "now" | "memo">> {
  if (!proposal) return { before: null, now: null, memo: null };
  const { target, zone } = proposal;
  const current = await readMemo(deps, ownerUid, target.memoId);
  const memo = current ? { title: current.title, contentVersion: current.contentVersion } : null;
  if (target.kind === "create") return { before: null, now: null, memo };
  const isSame = current?.contentVersion === target.base;
  const base = isSame ? current : await readMemoVersion(deps, ownerUid, target.memoId, target.base);
  const side = (of: typeof current): MemoSide | null =>
    of
      ? {
          contentVersion: of.contentVersion,
          text: of[zone],
          tags: zone === "body" ? of.tags : of.notesTags,
          updatedAt: of.updatedAt,
          writtenBy: of.writtenBy.username,
        }
      : null;
  return { before: side(base), now: isSame ? null : side(current), memo };
}

/** The draft that was sent back, whose changes this one makes. */
async function earlierText(deps: PageDeps, run: Run, revises: string | null): Promise<string | null> {
  if (revises === null) return null;
  const { gate } = await ownHold(deps, run.ownerUid, revises);
  return (await readProposal(deps.runs, run.runId, gate))?.text ?? null;
}

/** What `takeBackDecision` would let this person do. */
const mayTakeBack = (run: Run, { holdId, decision }: Gate, { principalId }: Principal): boolean =>
  decision?.by === principalId &&
  LANDS.some((verdict) => verdict === decision.verdict) &&
  run.gate?.holdId === holdId &&
  !run.intent &&
  (run.status === "suspended" || run.status === "running");
