import type { AuditEntry } from "../../lib/audit/entry.ts";
import { isAppError } from "../../lib/core/errors.ts";
import { laneKey, padded } from "../../lib/core/keys.ts";
import type { ReportModel } from "../../lib/pages/session-report.tsx";
import { runPlace } from "../../lib/queue/item.ts";
import { laneView } from "../../lib/queue/lane-view.ts";
import { nudgeText } from "../../lib/steward/answer-report.ts";
import { NAMES } from "../../lib/steward/names.ts";
import { list, record } from "../../lib/steward/rules/reading.ts";
import { passOf, shownReport } from "../session-reports.ts";
import type { PageDeps } from "./page-deps.ts";
import { judgedRows, pressureOf, saidOf } from "./report-parts.ts";
import { memoTitles } from "./run-memo-titles.ts";

/** One pass with all that its page says. @throws {AppError} run_not_found */
export async function readReportPage(deps: PageDeps, ownerUid: string, runId: string): Promise<ReportModel> {
  try {
    return await passModel(deps, ownerUid, runId);
  } catch (error) {
    const waiting = isAppError(error) && error.code === "run_not_found";
    const model = waiting ? await waitingModel(deps, ownerUid, runId) : undefined;
    if (model) return model;
    throw error;
  }
}

async function passModel(deps: PageDeps, ownerUid: string, runId: string): Promise<ReportModel> {
  const pass = await passOf(deps, ownerUid, runId);
  const report = shownReport(pass);
  const { proposals, observed } = report.proposals;
  const words = [...proposals, ...observed];
  const [said, titleOf, sessions] = await Promise.all([
    recordOf(deps, ownerUid, runId, report.startedAt ?? report.createdAt),
    memoTitles(deps, ownerUid),
    deps.sessions.readSessions([...new Set(words.map(({ sessionId }) => sessionId))]),
  ]);
  const own = new Map<string, (typeof sessions)[number]>(
    sessions.filter((one) => one.ownerUid === ownerUid).map((one) => [one.sessionId, one]),
  );
  return {
    ...report,
    lane: null,
    memoTitle: report.memoId === null ? null : titleOf(report.memoId),
    pressure: pressureOf(report.report),
    rows: judgedRows(report.rows, list(record(pass.result).verdicts), said),
    words: words.map((word) => ({
      ...word,
      name: own.get(word.sessionId)?.name ?? null,
      isLive: own.get(word.sessionId)?.status === "live",
      says: nudgeText(word),
      sentBy: saidOf(said, "session_nudged", word.sessionId)[0]?.username ?? null,
    })),
  };
}

/** A pass that nobody has begun yet is known by its item. */
async function waitingModel(
  deps: PageDeps,
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

/** What people have said of this report: it stands on record under the report's own time. */
async function recordOf(
  { audits }: Pick<PageDeps, "audits">,
  ownerUid: string,
  runId: string,
  at: number,
): Promise<AuditEntry[]> {
  const said: AuditEntry[] = [];
  let after: { seq: string } | null = { seq: `${padded(at + 1)}#0` };
  while (after) {
    const page: Awaited<ReturnType<typeof audits.page>> = await audits.page(ownerUid, {
      since: at,
      limit: 100,
      after,
    });
    said.push(...page.entries.filter((entry) => entry.runId === runId));
    after = page.next;
  }
  return said;
}
