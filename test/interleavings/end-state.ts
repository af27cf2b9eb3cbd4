import { HEAD_PART } from "../../lib/memos/row.ts";
import { runIdOf, type Item } from "../../lib/queue/item.ts";
import type { Lane } from "../../lib/queue/lane.ts";
import { decisionPart, HEAD, proposalPart } from "../../lib/runs/parts.ts";
import { isTerminal, writeTokenOf, type Run } from "../../lib/runs/run.ts";
import type { Row } from "../support/memory/condition.ts";
import type { World } from "./world.ts";

type Version = { contentVersion: number; writeToken: string; runId: string | null; body: string };

/** What must hold once everything is quiet: the invariants of section 10, and that nobody was told a falsehood. */
export function endFaults(world: World): string[] {
  const { engine } = world;
  const faults: string[] = [];
  const runs = engine.rows("runs");
  const heads = new Map(
    runs.filter((row) => row["part"] === HEAD).map((row) => [String(row["runId"]), row as unknown as Run]),
  );
  const items = engine.rows("queue") as unknown as Item[];
  const chains = chainsOf(engine.rows("memos"));

  for (const item of items) {
    const own = runIdOf(item.ownerUid, item.workflowId, item.itemKey, item.generation);
    const run = heads.get(own);
    const says = `item ${item.dedupeKey} of generation ${item.generation} is ${item.status}`;
    if (item.status === "pending") faults.push(`${says} although all is quiet`);
    else if (!run) faults.push(`${says} without a run`);
    else if (item.status === "claimed" ? run.status !== "suspended" : run.status !== item.status) {
      faults.push(`${says} and its run is ${run.status}`);
    }
  }
  for (const run of heads.values()) {
    if (!isTerminal(run) && run.status !== "suspended")
      faults.push(`${run.runId} is ${run.status} when quiet`);
    if (run.status === "suspended" && run.gate.decision) faults.push(`${run.runId} is decided and waits`);
    faults.push(...landingFaults(run, runs, chains));
  }
  for (const lane of engine.rows("lanes") as unknown as Lane[]) {
    for (const runId of lane.inFlight ?? []) faults.push(`${runId} has a slot when quiet`);
  }
  for (const [memoId, chain] of chains) {
    const tokens = chain.map(({ writeToken }) => writeToken);
    if (new Set(tokens).size < tokens.length)
      faults.push(`${memoId} has a token twice: ${tokens.join(", ")}`);
  }
  return [...faults, ...toldFaults(world, heads, items, chains)];
}

/** One version for each run that is done, none for any other; exactly the bytes decided on, on the frozen base. */
function landingFaults(
  run: Run,
  rows: readonly Row[],
  chains: ReadonlyMap<string, readonly Version[]>,
): string[] {
  const all = [...chains].flatMap(([memoId, chain]) => chain.map((version) => ({ memoId, ...version })));
  const own = all.filter((version) => version.runId === run.runId);
  if (run.status !== "done") return own.length > 0 ? [`${run.runId} is ${run.status} and has landed`] : [];
  const [version] = own;
  if (!version || own.length > 1) return [`${run.runId} is done with ${own.length} versions`];
  const { intent, landing } = run;
  if (!intent || !landing) return [`${run.runId} is done without ${intent ? "a landing" : "an intent"}`];
  const faults: string[] = [];
  const says = (what: string) => faults.push(`${run.runId}: ${what}`);
  if (landing.memoId !== version.memoId || landing.contentVersion !== version.contentVersion) {
    says("names another version than it made");
  }
  if (version.writeToken !== writeTokenOf(run.runId, intent.stepId)) says("landed under another token");
  const part = proposalPart(intent.stepId, intent.revision, intent.sha256);
  const proposal = rows.find((row) => row["runId"] === run.runId && row["part"] === part);
  if (proposal?.["text"] !== version.body) says("other bytes than the frozen ones landed");
  const target = proposal?.["target"] as { kind: string; base?: number } | undefined;
  const base = target?.kind === "update" ? target.base : 0;
  if (version.contentVersion !== (base ?? 0) + 1) says(`landed on another base than ${base}`);
  return faults;
}

function toldFaults(
  { told, engine }: World,
  heads: ReadonlyMap<string, Run>,
  items: readonly Item[],
  chains: ReadonlyMap<string, readonly Version[]>,
): string[] {
  const faults: string[] = [];
  const rows = engine.rows("runs");
  for (const { lane, itemKey, generation } of told.enqueued) {
    const item = items.find((one) => one.lane === lane && one.itemKey === itemKey);
    if (!item || item.generation < generation)
      faults.push(`an enqueue was acknowledged and is gone: ${itemKey}`);
  }
  for (const { runId, holdId, decisionId } of told.decided) {
    const run = heads.get(runId);
    const isOnHead = run?.gate?.holdId === holdId && run.gate.decision?.decisionId === decisionId;
    // Once a gate has taken its place on the head, its row is what is left of it.
    const row = rows.find((one) => one["runId"] === runId && one["part"] === decisionPart(holdId));
    const isOnRow = JSON.stringify(row ?? {}).includes(decisionId);
    if (!isOnHead && !isOnRow) faults.push(`${decisionId} was acknowledged and is not there`);
  }
  for (const { runId, holdId } of told.takenBack) {
    if (heads.get(runId)?.gate?.holdId === holdId) faults.push(`${holdId} was taken back and still decides`);
  }
  for (const runId of told.cancelled) {
    if (heads.get(runId)?.status !== "cancelled") faults.push(`${runId} was cancelled and is not`);
  }
  for (const { memoId, contentVersion, writeToken } of told.edited) {
    const version = chains.get(memoId)?.find((one) => one.contentVersion === contentVersion);
    if (version?.writeToken !== writeToken) faults.push(`${writeToken} was saved and is not in the history`);
  }
  if (
    engine.rows("lanes").some((lane) => lane["enqueueSeq"] === undefined && lane["readyShard"] !== undefined)
  ) {
    faults.push("a ready lane that nobody made ready");
  }
  return faults;
}

/** The versions that lead to each memo's current one, oldest first. */
function chainsOf(rows: readonly Row[]): Map<string, Version[]> {
  const byKey = new Map(rows.map((row) => [`${String(row["memoKey"])}\n${String(row["part"])}`, row]));
  const chains = new Map<string, Version[]>();
  for (const head of rows.filter((row) => row["part"] === HEAD_PART)) {
    const chain: Version[] = [];
    let ref = head["bodyRef"] as string | null;
    while (ref !== null) {
      const row = byKey.get(`${String(head["memoKey"])}\n${ref}`);
      if (!row) throw new Error(`the history of ${String(head["memoId"])} is broken at ${ref}`);
      chain.unshift(row as unknown as Version);
      ref = row["previousRef"] as string | null;
    }
    chains.set(String(head["memoId"]), chain);
  }
  return chains;
}
