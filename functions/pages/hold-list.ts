import * as z from "zod";
import { inParallel } from "../../lib/core/in-parallel.ts";
import { namedWorkflowId } from "../../lib/intake/named-workflow.ts";
import type { DecidedLately, InboxModel } from "../../lib/pages/inbox.tsx";
import { readAudit } from "../../lib/runs/audit-view.ts";
import { ownHold } from "../../lib/runs/hold-access.ts";
import {
  AgePlace,
  ExpiryPlace,
  HOLD_STATES,
  listHolds,
  listHoldsByExpiry,
} from "../../lib/runs/list-holds.ts";
import { readProposal } from "../../lib/runs/output-step.ts";
import { checked } from "../middleware/parse-body.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageRequest } from "./page-request.ts";

const HoldsQuery = z.object({
  state: z.enum(HOLD_STATES).default("open"),
  sort: z.enum(["age", "expiry"]).default("age"),
  // A form sends what is not chosen as nothing.
  workflow: z.string().max(200).optional(),
});

/** The inbox as its page shows it: each hold with the name of its workflow and of the memo that it would change. */
export async function readInbox(
  deps: PageDeps,
  { principal: { ownerUid, principalId }, query, paging, at }: PageRequest,
): Promise<InboxModel> {
  const { state, sort, workflow = "" } = checked(HoldsQuery, query, "query");
  const hidden = await deps.snoozes.hidden(ownerUid, principalId, at);
  const workflowId = workflow === "" ? undefined : await namedWorkflowId(deps, ownerUid, workflow);
  const wanted = { state, hidden, workflowId, limit: paging.limit({ max: 100, standard: 50 }) };
  const { items, next } =
    sort === "age"
      ? await listHolds(deps, ownerUid, { ...wanted, after: paging.after(AgePlace) })
      : await listHoldsByExpiry(deps, ownerUid, { ...wanted, after: paging.after(ExpiryPlace) });
  const memos = new Map(
    (await deps.catalog.entries(ownerUid)).map((entry) => [entry.memoId as string, entry]),
  );
  const nameOf = (memoId: string): string => memos.get(memoId)?.title ?? memoId;
  const workflows = [...memos.values()]
    .filter(({ memoType }) => memoType === "workflow")
    .map(({ memoId, title }) => ({ workflowId: memoId as string, name: title }))
    .sort((a, b) => a.name.localeCompare(b.name, "en"));
  const named = items.map((hold) => {
    const { target } = hold;
    const memo = target?.kind === "update" ? memos.get(target.memoId) : undefined;
    const targetChanged = target?.kind === "update" && memo?.contentVersion !== target.base;
    return { ...hold, workflow: nameOf(hold.workflowId), memo: memo?.title ?? null, targetChanged };
  });
  return {
    state,
    sort,
    workflow: workflowId === undefined ? null : { workflowId, name: nameOf(workflowId) },
    workflows,
    ...paging.page(named, next),
    lately: named.length === 0 && next === null ? await decidedLately(deps, ownerUid) : [],
  };
}

const LOOKED_AT = 40;
const SHOWN = 5;

/** The last decisions that stand. */
async function decidedLately(deps: PageDeps, ownerUid: string): Promise<DecidedLately[]> {
  const { items } = await readAudit(deps, ownerUid, { since: 0, limit: LOOKED_AT, after: null });
  const decided = items.filter(({ act, holdId, ...entry }) => {
    return (
      act === "decision_asked" && holdId !== undefined && "outcome" in entry && entry.outcome === "stands"
    );
  });
  return inParallel(decided.slice(0, SHOWN), SHOWN, async ({ holdId = "", verdict = "", username, at }) => {
    const { run, gate } = await ownHold(deps, ownerUid, holdId);
    const proposal = await readProposal(deps.runs, run.runId, gate);
    return { holdId, verdict, username, at, title: proposal?.title ?? null };
  });
}
