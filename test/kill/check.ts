import type { Acknowledged, Enqueued } from "./acknowledged.ts";
import type { HostProcess } from "./host-process.ts";
import type { SlowModel } from "./slow-model.ts";

type Run = {
  runId: string;
  status: string;
  recoveries: number;
  revision: number;
  landing: { memoId: string; contentVersion: number } | null;
  hold: { decision: { verdict: string } | null } | null;
  error: { code: string } | null;
};
type Version = { contentVersion: number; runId: string | null };

const LANDS = new Set(["approve", "approve_edited", "rebase", "replace", "keep_both"]);

/** What is not as it must be once everything is quiet; empty when every invariant holds. */
export async function check(
  host: HostProcess,
  acknowledged: Acknowledged,
  places: { commands: readonly { command: string }[]; shared: readonly string[]; model: SlowModel },
): Promise<{ faults: string[]; recoveries: number; landed: number }> {
  const faults: string[] = [];
  const get = async <T>(path: string) => (await host.answer("GET", path, "stewardKey")).body as T;
  const versionsOf = (memoId: string) => allOf<Version>(host, `/api/memos/${memoId}/versions?limit=100`);

  const byRun = new Map<string, number>();
  for (const memoId of places.shared) {
    const versions = await versionsOf(memoId);
    versions.forEach(({ contentVersion }, index) => {
      if (contentVersion !== versions.length - index)
        faults.push(`${memoId} has a gap at version ${contentVersion}`);
    });
    for (const { runId } of versions) if (runId) byRun.set(runId, (byRun.get(runId) ?? 0) + 1);
  }

  let recoveries = 0;
  let landed = 0;
  for (const item of acknowledged.items.values()) {
    const run = await get<Run>(`/api/runs/${item.runId}`);
    recoveries += run.recoveries ?? 0;
    if (run.landing) landed++;
    if (run.landing && !places.shared.includes(run.landing.memoId)) {
      const own = (await versionsOf(run.landing.memoId)).filter(({ runId }) => runId === run.runId);
      byRun.set(run.runId, (byRun.get(run.runId) ?? 0) + own.length);
    }
    const { status } = await get<{ status: string }>(`/api/items/${item.itemId}`);
    faults.push(...faultsOfRun(item, run, status, acknowledged, byRun.get(item.runId) ?? 0));
    const calls = places.model.callsOf(item.topic);
    const allowed = 1 + run.recoveries + run.revision - 1;
    if (calls > allowed) faults.push(`${item.topic}: ${calls} model calls, ${allowed} are explained`);
  }

  for (const { memoId, contentVersion, text } of acknowledged.edits) {
    const { body } = await get<{ body: string }>(`/api/memos/${memoId}/versions/${contentVersion}`);
    if (body !== text)
      faults.push(`the edit that became version ${contentVersion} of ${memoId} is not there`);
  }
  for (const { command } of places.commands) {
    const { lane } = await get<{ lane: { inFlight: string[] } }>(`/api/workflows${command}`);
    if (lane.inFlight.length > 0) faults.push(`lane ${command} still holds ${lane.inFlight.length} slots`);
  }
  const running = await allOf<Run>(host, "/api/runs?status=running&limit=100");
  for (const { runId } of running) faults.push(`${runId} is still running`);
  return { faults, recoveries, landed };
}

function faultsOfRun(
  { runId, itemId, held }: Enqueued,
  run: Run,
  itemStatus: string,
  acknowledged: Acknowledged,
  versions: number,
): string[] {
  const faults: string[] = [];
  const verdicts = acknowledged.decisions.filter((decision) => decision.runId === runId);
  if (!["done", "failed", "cancelled"].includes(run.status)) faults.push(`${runId} is ${run.status}`);
  if (itemStatus !== run.status) faults.push(`${itemId} is ${itemStatus}, its run ${run.status}`);
  // A run that every kill has met ends so by its bound: five recoveries, then no more.
  const isWornOut = run.error?.code === "recovery_exhausted" && run.recoveries === 5;
  if (run.status === "failed" && !isWornOut) faults.push(`${runId} failed: ${run.error?.code ?? "no code"}`);
  if (versions !== (run.landing ? 1 : 0))
    faults.push(`${runId} is ${run.status} and wrote ${versions} versions`);
  if (run.status === "done" && !run.landing) faults.push(`${runId} is done without a landing`);
  const said = run.hold?.decision?.verdict;
  if (run.landing && held && !LANDS.has(said ?? ""))
    faults.push(`${runId} landed on ${said ?? "no decision"}`);
  if (verdicts.some(({ verdict }) => verdict === "reject") && run.status !== "cancelled")
    faults.push(`${runId} was rejected and is ${run.status}`);
  if (acknowledged.cancelled.has(runId) && run.status !== "cancelled")
    faults.push(`${runId} was cancelled and is ${run.status}`);
  return faults;
}

async function allOf<T>(host: HostProcess, path: string): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const { body } = await host.answer("GET", path + query, "stewardKey");
    all.push(...((body["items"] ?? []) as T[]));
    cursor = (body["nextCursor"] as string | null) ?? null;
  } while (cursor);
  return all;
}
