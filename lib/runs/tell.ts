import { truncate } from "../core/text.ts";
import { noticeIdOf, type Notice } from "../notices/notice.ts";
import type { NoticeStore } from "../notices/store.ts";
import type { SettledStatus } from "../queue/item.ts";
import { readPlan } from "./plan.ts";
import type { Run, RunIn } from "./run.ts";
import type { RunStore } from "./store.ts";

export type TellDeps = { runs: RunStore; notices: Pick<NoticeStore, "put"> };

const TITLE_MAX = 200;
const MESSAGE_MAX = 500;

/**
 * Tells the owner that a run has failed, where its policy says so, or that a hold has expired. Before the run is
 * settled, from what its head says alone, so that whoever settles it after a crash says the same once more.
 */
export async function tellOfEnd(deps: TellDeps, run: Run, outcome: SettledStatus): Promise<void> {
  const decision = run.gate?.decision;
  if (outcome === "cancelled" && run.gate && decision?.verdict === "expire") {
    const { holdId, expiresAt } = run.gate;
    return tell(deps, run, { kind: "hold_expired", at: expiresAt, holdId, expiresAt });
  }
  const error = "error" in run ? run.error : undefined;
  if (outcome !== "failed" || !error) return;
  const plan = await readPlan(deps.runs, run.runId);
  // A run that could not even be planned has no policy; silence would be the wrong guess.
  if (plan?.manifest.policy.onFailure === "stop") return;
  const { code, class: errorClass, message, at } = error;
  const shown = { code, class: errorClass, message: truncate(message, MESSAGE_MAX) };
  return tell(deps, run, { kind: "run_failed", at, error: shown }, plan?.manifest.title ?? null);
}

/** Tells the owner that a hold still waits, at one of its deadlines; the same one again is the same notice. */
export async function remind(deps: TellDeps, run: RunIn<"suspended">, deadlineAt: number): Promise<void> {
  const { holdId, openedAt, expiresAt } = run.gate;
  const percent = Math.round(((deadlineAt - openedAt) / (expiresAt - openedAt)) * 100);
  return tell(deps, run, { kind: "hold_reminder", at: deadlineAt, holdId, percent, expiresAt });
}

type Facts = Omit<Notice, "noticeId" | "runId" | "workflowId" | "title" | "readAt">;

async function tell(deps: TellDeps, run: Run, facts: Facts, known?: string | null): Promise<void> {
  const { runId, workflowId, ownerUid } = run;
  const noticeId = noticeIdOf({ ...facts, runId });
  const title = known === undefined ? (await readPlan(deps.runs, runId))?.manifest.title : known;
  const shown = title ? truncate(title, TITLE_MAX) : null;
  await deps.notices.put(ownerUid, { noticeId, ...facts, runId, workflowId, title: shown });
}
