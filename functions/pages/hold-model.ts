import type { Principal } from "../../lib/core/principal.ts";
import type { HoldModel, HoldView } from "../../lib/pages/hold.tsx";
import { standardView } from "../../lib/pages/hold-tabs.tsx";
import { ownHold } from "../../lib/runs/hold-access.ts";
import { readHold } from "../../lib/runs/hold-view.ts";
import { nthHold, LANDS, type Gate, type Run } from "../../lib/runs/run.ts";
import { runRecord } from "../../lib/runs/run-view.ts";
import { isId } from "../../lib/core/ids.ts";
import { earlierText, sidesOf } from "./hold-sides.ts";
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

/** What `takeBackDecision` would let this person do. */
const mayTakeBack = (run: Run, { holdId, decision }: Gate, { principalId }: Principal): boolean =>
  decision?.by === principalId &&
  LANDS.some((verdict) => verdict === decision.verdict) &&
  run.gate?.holdId === holdId &&
  !run.intent &&
  (run.status === "suspended" || run.status === "running");
