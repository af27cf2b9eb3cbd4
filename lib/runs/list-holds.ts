import * as z from "zod";
import { inParallel } from "../core/in-parallel.ts";
import { readProposal } from "./output-step.ts";
import type { RunIn } from "./run.ts";
import { spentView } from "./run-view.ts";
import type { RunStore } from "./store.ts";
import { spentOfRun } from "./unfinished-spend.ts";

/** What a steward sees: what is not snoozed, what is, or both. */
export const HOLD_STATES = ["open", "snoozed", "all"] as const;
export type HoldState = (typeof HOLD_STATES)[number];

/** Where a list by age goes on: behind this hold, oldest first. */
export const AgePlace = z.strictObject({ runId: z.string(), openedAt: z.number() });
export type AgePlace = z.infer<typeof AgePlace>;

/** Where a list by expiry goes on: behind this hold, what expires first first. */
export const ExpiryPlace = z.strictObject({ runId: z.string(), expiresAt: z.number() });
export type ExpiryPlace = z.infer<typeof ExpiryPlace>;

export type HoldFilter = {
  state?: HoldState;
  workflowId?: string | undefined;
  /** Holds that are snoozed for whoever asks, and until when. */
  hidden?: ReadonlyMap<string, number>;
};

/** Runs read for one page: bounds what a list that filters or sorts may cost. */
const READS_PER_PAGE = 1000;
const READ_AT_ONCE = 100;
const PROPOSALS_AT_ONCE = 8;

type Held = RunIn<"suspended">;
type Request<Place> = HoldFilter & { limit: number; after: Place | null };

/** Open holds of an owner, oldest first; derived from the runs, so there is no second truth. */
export async function listHolds(
  { runs }: { runs: RunStore },
  ownerUid: string,
  { limit, after, ...filter }: Request<AgePlace>,
) {
  const shown: Held[] = [];
  let start: Record<string, unknown> | undefined = after ? keyOf(ownerUid, after) : undefined;
  let next: AgePlace | null = null;
  for (let read = 0; read < READS_PER_PAGE;) {
    const page = await openHolds(runs, ownerUid, start);
    const wanted = page.held.filter((run) => fits(run, filter)).slice(0, limit - shown.length);
    shown.push(...wanted);
    const last = shown.at(-1);
    if (last && shown.length === limit) {
      next = last === page.held.at(-1) && !page.next ? null : agePlace(last);
      return { items: await summaries(runs, shown, filter), next };
    }
    read += page.read;
    if (!page.next) return { items: await summaries(runs, shown, filter), next: null };
    start = page.next;
    next = { runId: String(start["runId"]), openedAt: Number(start["openedAt"]) };
  }
  return { items: await summaries(runs, shown, filter), next };
}

/** Open holds of an owner, what expires first first. Of more than a thousand the oldest thousand are in order. */
export async function listHoldsByExpiry(
  { runs }: { runs: RunStore },
  ownerUid: string,
  { limit, after, ...filter }: Request<ExpiryPlace>,
) {
  const open: Held[] = [];
  let start: Record<string, unknown> | undefined;
  for (let read = 0; read < READS_PER_PAGE;) {
    const page = await openHolds(runs, ownerUid, start);
    open.push(...page.held);
    read += page.read;
    start = page.next;
    if (!start) break;
  }
  const rest = open
    .filter((run) => fits(run, filter) && (!after || byExpiry(after, expiryPlace(run)) < 0))
    .sort((a, b) => byExpiry(expiryPlace(a), expiryPlace(b)));
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown.at(-1) : undefined;
  return { items: await summaries(runs, shown, filter), next: last ? expiryPlace(last) : null };
}

/** One page of the inbox, as the heads are now: the index lags, so a hold that was just decided is left out. */
async function openHolds(runs: RunStore, ownerUid: string, start: Record<string, unknown> | undefined) {
  const page = await runs.inbox(ownerUid, READ_AT_ONCE, start);
  const heads = await runs.readHeads(page.runIds);
  const held = heads.filter((run): run is Held => run.status === "suspended" && !run.gate.decision);
  return { held, read: page.runIds.length, next: page.next };
}

const fits = ({ workflowId, gate }: Held, filter: HoldFilter): boolean => {
  const { state = "all", hidden } = filter;
  if (filter.workflowId !== undefined && workflowId !== filter.workflowId) return false;
  return state === "all" || (hidden?.has(gate.holdId) ?? false) === (state === "snoozed");
};

const keyOf = (inboxOwner: string, place: AgePlace) => ({ ...place, inboxOwner, part: "HEAD" });
const agePlace = ({ runId, gate }: Held): AgePlace => ({ runId, openedAt: gate.openedAt });
const expiryPlace = ({ runId, gate }: Held): ExpiryPlace => ({ runId, expiresAt: gate.expiresAt });
const byExpiry = (a: ExpiryPlace, b: ExpiryPlace): number =>
  a.expiresAt - b.expiresAt || (a.runId < b.runId ? -1 : Number(a.runId > b.runId));

const summaries = (runs: RunStore, held: readonly Held[], { hidden }: HoldFilter) =>
  inParallel(held, PROPOSALS_AT_ONCE, (run) => summaryOf(runs, run, hidden?.get(run.gate.holdId) ?? null));

async function summaryOf(runs: RunStore, run: Held, snoozedUntil: number | null) {
  const { gate } = run;
  const proposal = await readProposal(runs, run.runId, gate);
  return {
    holdId: gate.holdId,
    kind: gate.kind,
    revision: gate.revision,
    runId: run.runId,
    workflowId: run.workflowId,
    sha256: gate.sha256,
    title: proposal?.title ?? null,
    target: proposal?.target ?? null,
    size: proposal?.size ?? null,
    guards: proposal?.guards ?? [],
    requestedBy: run.requestedBy,
    sessionId: run.sessionId ?? null,
    openedAt: gate.openedAt,
    expiresAt: gate.expiresAt,
    snoozedUntil,
    ...spentView(spentOfRun(run)),
  };
}
