import { isAppError } from "../../lib/core/errors.ts";
import type { ReportModel } from "../../lib/pages/session-report.tsx";
import { nudgeText } from "../../lib/steward/answer-report.ts";
import { list, record } from "../../lib/steward/rules/reading.ts";
import { passOf } from "../session-reports.ts";
import { shownReport } from "../shown-report.ts";
import type { PageDeps } from "./page-deps.ts";
import { judgedRows, pressureOf } from "./report-parts.ts";
import { recordOf, saidOf } from "./report-said.ts";
import { waitingModel } from "./report-waiting.ts";
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
