import { laneKey } from "../../lib/core/keys.ts";
import type { ReportModel } from "../../lib/pages/session-report.tsx";
import { runPlace } from "../../lib/queue/item.ts";
import { laneView } from "../../lib/queue/lane-view.ts";
import { NAMES } from "../../lib/steward/names.ts";
import { record } from "../../lib/steward/rules/reading.ts";
import type { PageDeps } from "./page-deps.ts";

/** A pass that nobody has begun yet is known by its item. */
export async function waitingModel(
  deps: Pick<PageDeps, "queue">,
  ownerUid: string,
  runId: string,
): Promise<ReportModel | undefined> {
  const place = runPlace(runId);
  const lane = laneKey(ownerUid, NAMES.workflowId);
  const item = place && (await deps.queue.readItem(lane, place.itemKey));
  if (!item || item.ownerUid !== ownerUid || item.generation !== place.generation) return undefined;
  return {
    runId,
    status: item.status === "pending" || item.status === "claimed" ? "waiting" : item.status,
    lane: laneView(await deps.queue.readLane(lane, { asHint: true })),
    createdAt: item.enqueuedAt,
    settledAt: null,
    requestedBy: item.requestedBy.username,
    startedAt: null,
    apply: appliesBy(item.payload),
    memoId: null,
    memoTitle: null,
    report: null,
    pressure: null,
    counts: null,
    rows: [],
    proposals: { proposals: [], observed: [] },
    words: [],
    relabel: [],
    error: null,
  };
}

/** Whether a pass was asked to act, by the text that it was asked with. */
export const appliesBy = (payload: string): boolean => record(JSON.parse(payload))["apply"] === true;
