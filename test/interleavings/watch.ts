import { isDeepStrictEqual } from "node:util";
import type { ModelRequest } from "../../lib/model/model.ts";
import { runIdOf, type Item } from "../../lib/queue/item.ts";
import type { Lane } from "../../lib/queue/lane.ts";
import { HEAD } from "../../lib/runs/parts.ts";
import { ENDS, isTerminal, LANDS, type Run } from "../../lib/runs/run.ts";
import type { Applied, MemoryEngine } from "../support/memory/engine.ts";
import type { Process, Scheduler } from "./scheduler.ts";
import type { WorldWorkflow } from "./world.ts";

type Head = Run & { activeShard?: string; inboxOwner?: string };

const lands = (verdict: string | undefined) => LANDS.some((one) => one === verdict);
const ends = (verdict: string | undefined) => ENDS.some((one) => one === verdict);

/**
 * What must hold at every single write, whoever makes it: looked at from outside, by what stood in the row before
 * and after, never by the condition that the write stated.
 */
export function createWatch(engine: MemoryEngine, scheduler: Scheduler, workflows: readonly WorldWorkflow[]) {
  const faults: string[] = [];
  const trace: string[] = [];
  const counts = { writes: 0, calls: 0, lateCalls: 0 };
  const fault = (what: string) => void faults.push(`${what} [${scheduler.acting()?.name}]`);
  const headOf = (runId: string) =>
    engine.rows("runs").find((row) => row["runId"] === runId && row["part"] === HEAD) as Head | undefined;

  function headWritten(before: Head | undefined, after: Head): void {
    const { runId } = after;
    const says = (what: string) => fault(`${runId}: ${what}`);
    const inIndex = after.activeShard !== undefined || after.inboxOwner !== undefined;
    if (!isTerminal(after) && !inIndex) says(`${after.status} and in no index`);
    if (isTerminal(after) && inIndex) says(`${after.status} and still in an index`);
    if (!before) return;
    if (isTerminal(before)) says("a run that had ended changed");
    if (after.epoch < before.epoch) says("the epoch went back");
    if (after.heartbeatAt < before.heartbeatAt) says("the heartbeat went back");
    const [was, is] = [before.gate, after.gate];
    if (was?.decision && is?.holdId === was.holdId && !isDeepStrictEqual(was.decision, is.decision)) {
      says("a recorded decision changed");
    }
    if (is?.decision && !was?.decision && before.status !== "suspended") says("decided while not suspended");
    if (before.intent && after.intent && !isDeepStrictEqual(before.intent, after.intent)) {
      says("an intent was replaced");
    }
    if (after.intent && !before.intent) {
      const { holds } = workflows.find(({ workflowId }) => workflowId === after.workflowId)!;
      const decision = after.gate?.decision;
      if (holds && !lands(decision?.verdict)) says("an intent without an approval");
      if (lands(decision?.verdict) && (decision?.lands ?? after.gate?.sha256) !== after.intent.sha256) {
        says("an intent for other bytes than those decided on");
      }
    }
    runnerWrote(before, after, says);
  }

  /** A runner writes at its own epoch; what anybody may finish for a run is all that it may do beside. */
  function runnerWrote(before: Head, after: Head, says: (what: string) => void): void {
    const process = scheduler.acting();
    if (!process) return;
    if (after.leaseOwner !== undefined && after.leaseOwner !== before.leaseOwner) {
      if (after.epoch !== before.epoch + 1) says("a lease that did not move the epoch");
      process.epoch = after.epoch;
      return;
    }
    if (process.epoch === undefined || before.epoch === process.epoch) return;
    const finishes =
      (before.status === "settling" && isTerminal(after)) ||
      (before.status === "suspending" && after.status === "suspended") ||
      (before.status === "suspended" && after.status === "cancelled" && ends(before.gate.decision?.verdict));
    if (!finishes) says(`a write at epoch ${process.epoch} after epoch ${before.epoch} existed`);
  }

  function laneWritten(before: Lane | undefined, after: Lane): void {
    const limit = workflows.find(({ lane }) => lane === after.lane)?.limit ?? Infinity;
    const [was, is] = [before?.inFlight ?? new Set<string>(), after.inFlight ?? new Set<string>()];
    if (is.size > was.size && is.size > limit) fault(`${is.size} slots on a lane of limit ${limit}`);
    for (const runId of was) {
      if (is.has(runId)) continue;
      const head = headOf(runId);
      if (!head) fault(`${runId}: a slot freed without a head`);
      if (head?.status === "running" && !head.intent) fault(`${runId}: a slot freed under a running run`);
    }
  }

  function itemWritten(before: Item | undefined, after: Item): void {
    const says = (what: string) => fault(`item ${after.dedupeKey}: ${what}`);
    const own = runIdOf(after.ownerUid, after.workflowId, after.itemKey, after.generation);
    if (after.status !== "pending" && after.runId !== own) says("belongs to another run");
    if (!before) return;
    const isSettled = before.status !== "pending" && before.status !== "claimed";
    if (isSettled && !(after.status === "pending" && after.generation === before.generation + 1)) {
      says("a settled item changed");
    }
    if (!isSettled && after.generation !== before.generation) says("an unsettled generation was replaced");
    if (before.status === "claimed" && after.status === "pending") says("a claim was undone");
    if (before.payload !== after.payload && !isSettled) says("the payload changed");
  }

  function written({ table, before, after }: Applied): void {
    counts.writes++;
    const part = String(after?.["part"] ?? before?.["part"] ?? "");
    const status = String(after?.["status"] ?? "");
    trace.push(
      `${scheduler.acting()?.name}: ${table} ${part} ${status} epoch ${String(after?.["epoch"] ?? "-")}`,
    );
    if (table === "runs" && part === HEAD) headWritten(before as Head | undefined, after as Head);
    else if (table === "runs" && before && !isDeepStrictEqual(before, after))
      fault(`row ${part} was written over`);
    else if (table === "lanes") laneWritten(before as Lane | undefined, after as unknown as Lane);
    else if (table === "queue") itemWritten(before as Item | undefined, after as Item);
    else if (table === "memos" && part.startsWith("BODY#") && before) fault(`${part} was written over`);
  }
  engine.onWrite(written);

  return {
    faults,
    trace,
    counts,
    headOf,
    /** A model call begins; it must be wanted, unless its runner has lost its lease and cannot know. */
    asked(process: Process, request: ModelRequest): () => void {
      counts.calls++;
      const head = headOf(request.runId);
      const isCurrent = head?.status === "running" && head.epoch === process.epoch;
      if (!head || !isCurrent) {
        counts.lateCalls++;
        return () => undefined;
      }
      const verdict = head.gate?.decision?.verdict;
      if (lands(verdict) || ends(verdict)) fault(`${head.runId}: a model call after ${verdict}`);
      const prefix = `STEP#${String(head.step).padStart(2, "0")}#R${head.revision}#E`;
      const isRecorded = engine
        .rows("runs")
        .some((row) => row["runId"] === head.runId && String(row["part"]).startsWith(prefix));
      if (isRecorded) fault(`${head.runId}: step ${request.stepId} was asked again although its row stands`);
      return () => undefined;
    },
  };
}
export type Watch = ReturnType<typeof createWatch>;
