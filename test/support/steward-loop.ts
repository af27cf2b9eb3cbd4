import { ownedWork } from "../../functions/owned-work.ts";
import { runResult } from "../../lib/runs/run-result.ts";
import { SESSION_STEWARD } from "../../lib/steward/bundled.ts";
import { createStewardRegistry } from "../../lib/steward/registry.ts";
import type { ReportRow } from "../../lib/steward/rules/report-rows.ts";
import type { Scan } from "../../lib/steward/rules/scan.ts";
import { createVerdictLedger } from "../../lib/steward/store.ts";
import { createCatalog } from "../../lib/memos/catalog.ts";
import { createMemoStore } from "../../lib/memos/store.ts";
import { createQueueStore } from "../../lib/queue/store.ts";
import { createRunStore } from "../../lib/runs/store.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import type { Model } from "../../lib/model/model.ts";
import type { Principal } from "../../lib/core/principal.ts";
import { testClock } from "./clock.ts";
import type { Engine } from "./engine.ts";
import { createLoop, OWNER, steward } from "./loop.ts";

/** What a pass answers, as far as tests look at it. */
export type StewardPass = {
  runId: string;
  status: string;
  report: string;
  rows: ReportRow[];
  apply: boolean;
  proposals: { proposals: { sessionId: string; kind: string }[]; observed: { sessionId: string }[] };
  scan: Scan;
};

/** The whole loop with the session steward in it. */
export function createStewardLoop(engine: Engine, options: { model: Model }) {
  const clock = testClock();
  const sessions = createSessionStore(engine.doc, engine.tables);
  const ledger = createVerdictLedger(engine.doc, engine.tables);
  const memos = createMemoStore(engine.doc, engine.tables);
  const catalog = createCatalog({ memos, clock });
  const workflowIds = async (ownerUid: string) => [
    SESSION_STEWARD.workflowId,
    ...(await catalog.workflows(ownerUid)).map(({ memoId }) => memoId),
  ];
  const lanes = { queue: createQueueStore(engine.doc, engine.tables), workflowIds };
  const owned = ownedWork({ ...lanes, runs: createRunStore(engine.doc, engine.tables.runs) });
  const registered = createStewardRegistry({
    sessions,
    ledger,
    clock,
    ownedWork: owned,
    modelRoles: () => ({}),
  });
  const loop = createLoop(engine, {
    ...options,
    clock,
    ownedWork: owned,
    registered,
    bundled: [SESSION_STEWARD],
  });

  /** One pass, taken to its end, with what it answers. */
  async function pass(input: Record<string, unknown>, by: Principal = steward): Promise<StewardPass> {
    const dedupeKey = `pass ${clock.now()} ${JSON.stringify(input)}`;
    const { runId } = await loop.enqueue("/session-steward", input, { dedupeKey }, by);
    await loop.settleDown();
    const run = await loop.runs.readHead(runId);
    if (run?.status !== "done") throw new Error(`the pass did not end well: ${JSON.stringify(run)}`);
    const answered = await runResult(loop.runs, run);
    return { runId, status: run.status, ...(answered?.result as Omit<StewardPass, "runId" | "status">) };
  }

  return { loop, clock, sessions, ledger, registered, pass, ownerUid: OWNER };
}
export type StewardLoop = ReturnType<typeof createStewardLoop>;
