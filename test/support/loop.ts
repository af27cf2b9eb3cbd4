import { createAudit } from "../../lib/audit/note.ts";
import { createAuditStore } from "../../lib/audit/store.ts";
import { createMemoDispatcher } from "../../lib/dispatch/memo.ts";
import type { Principal, Scope } from "../../lib/core/principal.ts";
import { PEOPLE_ONLY, requesterOf, SCOPES } from "../../lib/core/principal.ts";
import { admitWorkflow } from "../../lib/intake/admit.ts";
import { enqueueItem, EnqueueRequest } from "../../lib/intake/enqueue-item.ts";
import { createListeners } from "../../lib/intake/listeners.ts";
import { tellingOf, tellOfMemo, tellUntold, type TellDeps } from "../../lib/intake/save-memo.ts";
import { createWorkflowLibrary, REGISTRY } from "../../lib/intake/workflow-library.ts";
import { laneKey, type LaneKey } from "../../lib/core/keys.ts";
import { fireDue, type FireDeps } from "../../lib/loops/fire.ts";
import { createLoopStore } from "../../lib/loops/store.ts";
import { syncSchedules } from "../../lib/loops/sync.ts";
import { createCatalog } from "../../lib/memos/catalog.ts";
import { importMemos } from "../../lib/memos/import.ts";
import { hasMemo } from "../../lib/memos/read.ts";
import { createSearch } from "../../lib/memos/search.ts";
import { createMemoStore } from "../../lib/memos/store.ts";
import type { Model } from "../../lib/model/model.ts";
import type { Pricing } from "../../lib/model/pricing.ts";
import { createNoticeStore } from "../../lib/notices/store.ts";
import type { Doorbells, RunBell } from "../../lib/queue/doorbell.ts";
import { createQueueStore } from "../../lib/queue/store.ts";
import { readyLane } from "../../lib/queue/writes.ts";
import { createSpendStore } from "../../lib/spend/store.ts";
import { decideOnRecord } from "../../lib/runs/on-record.ts";
import type { DecisionRequest } from "../../lib/runs/decision-request.ts";
import { runTicket } from "../../lib/runs/execute.ts";
import { readHold } from "../../lib/runs/hold-view.ts";
import { takeBackDecision } from "../../lib/runs/take-back.ts";
import { pass, type PassDeps } from "../../lib/runs/pass.ts";
import { recover, STUCK_RUN_MS } from "../../lib/runs/recover.ts";
import { resume, type ResumeDeps } from "../../lib/runs/resume.ts";
import type { RunnerDeps } from "../../lib/runs/runner-deps.ts";
import { createRunStore } from "../../lib/runs/store.ts";
import { isWorkflowBusy } from "../../lib/runs/workflow-busy.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import { systemResolve } from "../../lib/sources/fetch-request.ts";
import { createEdgeReader } from "../../lib/edges/store.ts";
import { createSources } from "../../lib/sources/sources.ts";
import type { OwnedWork, Work } from "../../lib/steward/owned-work.ts";
import { createStewardActions } from "../../lib/steward/registry.ts";
import { createSessionEvidence } from "../../lib/steward/session-candidates.ts";
import { createVerdictLedger } from "../../lib/steward/store.ts";
import { createReadTools } from "../../lib/tools/read-tools.ts";
import { testClock } from "./clock.ts";
import { bundledHashes, peopleOnlyOf, type BundledWorkflow } from "../../lib/workflow-files/bundled.ts";
import type { Engine } from "./engine.ts";
import type { Ids } from "../../lib/core/ids.ts";
import { countingIds } from "./ids.ts";

export const OWNER = "owner";

/** An agent's key of this owner. */
export const agent: Principal = {
  principalId: "agent:key_agent",
  kind: "agent",
  ownerUid: OWNER,
  uid: OWNER,
  username: "agent",
  keyId: "key_agent",
  scopes: SCOPES.filter((scope: Scope) => !PEOPLE_ONLY.has(scope)),
};

/** A person of this owner who decides. */
export const steward: Principal = {
  principalId: "human:ana",
  kind: "human",
  ownerUid: OWNER,
  uid: "ana",
  username: "ana",
  keyId: "key_ana",
  scopes: SCOPES,
};

/** A workflow that drafts from the payload alone and holds; the least that has every kind of step. */
export const PLAIN_WORKFLOW = `# Plain

## Trigger
- **Command** \`/plain\`
- **Status** \`live\`
- **Summary** Writes one memo from a topic and holds it
- **Input** \`topic\` string — what about
- **Input** \`targetMemoId\` memo? — a memo to fill in

## Load Contract

## Steps
1. **trigger** \`brief\` Take it.
2. **context** \`gather\` Nothing to gather.
3. **process** \`draft\` Write about {{payload.topic}}.
4. **output** \`publish\` File it.
   - **Title** \`{{payload.topic}}\`

## Policy
- **Approval** \`hold\`
- **Destination** \`memo\`
- **Target** \`payload.targetMemoId\`
- **Tags** \`loop/plain\`
- **Budget** \`40k tokens\` per run
- **Concurrency** \`10\`
`;

/** The same, landing without a person. */
export const AUTO_WORKFLOW = PLAIN_WORKFLOW.replaceAll("Plain", "Auto")
  .replaceAll("/plain", "/auto")
  .replace("**Approval** `hold`", "**Approval** `auto`");

/** The whole loop on the embedded engine, with bells that a test delivers when, and as often as, it wants. */
export function createLoop(
  engine: Pick<Engine, "doc" | "tables">,
  options: {
    model: Model;
    ticker?: RunnerDeps["ticker"];
    clock?: ReturnType<typeof testClock>;
    ids?: Ids;
    /** In place of, or beside, the deployment's own. */
    sources?: RunnerDeps["sources"];
    tools?: RunnerDeps["tools"];
    actions?: RunnerDeps["actions"];
    /** What sessions still have under way; nothing when absent. */
    ownedWork?: OwnedWork;
    /** What steps of workflow files call, and the workflows that come with the project. */
    registered?: RunnerDeps["registered"];
    bundled?: readonly BundledWorkflow[];
    fetchHosts?: readonly string[];
    /** What calls of a model cost; free when absent. */
    price?: Pricing["price"];
    libraryUsdPerDay?: number;
    remainingMs?: () => number;
    /** Put around the stores, for a meter. */
    wrap?: <S extends object>(store: S) => S;
    /** Another process of the same loop: its bells are kept by the queue. */
    bells?: RunBell[];
  },
) {
  const clock = options.clock ?? testClock();
  const ids = options.ids ?? countingIds();
  const { doc, tables } = engine;
  const memos = createMemoStore(doc, { memos: tables.memos, control: tables.control });
  const wrap = options.wrap ?? ((store) => store);
  const queue = wrap(createQueueStore(doc, { queue: tables.queue, lanes: tables.lanes }));
  const runs = wrap(createRunStore(doc, tables.runs));
  const catalog = createCatalog({ memos, clock });
  const search = createSearch({ memos, catalog, clock });
  const bundled = options.bundled ?? [];
  const workflows = createWorkflowLibrary({ memos, catalog, clock, registry: REGISTRY, bundled });
  const sessions = createSessionStore(doc, { sessions: tables.sessions });
  const searchNotes: RunnerDeps["searchNotes"] = (ownerUid, query, limits) =>
    search.searchMemos(ownerUid, query, { ...limits, memoType: "note" });
  const ticker = options.ticker ?? (() => () => undefined);
  const fetchHosts = () => options.fetchHosts ?? [];
  const ownedWork = options.ownedWork ?? (async () => new Map<string, Work>());
  const ports = { sessions, ledger: createVerdictLedger(doc, tables), clock, ownedWork };
  const sources = createSources({
    evidence: createSessionEvidence(ports),
    verdicts: ports.ledger,
    edges: createEdgeReader(doc, tables),
    memos,
    catalog,
    runs,
    sessions,
    fetchHosts,
    ticker,
    resolve: systemResolve,
  });
  const bells = options.bells ?? [];
  const rung: RunBell[] = [];
  const delays: number[] = [];
  let wakes = 0;
  const doorbells: Doorbells = {
    async ringWake() {
      wakes++;
      return true;
    },
    async ringRuns(more) {
      for (const { runId, epoch, delaySec } of more) {
        bells.push({ v: 1, runId, epoch });
        if (delaySec) delays.push(delaySec);
      }
      rung.push(...bells.slice(-more.length));
      return true;
    },
  };
  const notices = createNoticeStore(doc, tables);
  const audits = createAuditStore(doc, tables.ledger);
  const audit = createAudit(audits);
  const libraryUsdPerDay = options.libraryUsdPerDay ?? null;
  const hashes = bundledHashes(bundled);
  const base = {
    queue,
    runs,
    memos,
    doorbells,
    clock,
    ids,
    libraryUsdPerDay,
    notices,
    audit,
    bundledHashes: hashes,
  };
  const spend = createSpendStore(doc, tables);
  const loops = createLoopStore(doc, tables);
  const tell: TellDeps = {
    ...base,
    workflows,
    spend,
    listeners: createListeners({ memos, catalog }),
    workflowSaved: async (ownerUid, workflowId) =>
      syncSchedules({ loops, clock }, ownerUid, workflowId, await workflows.byId(ownerUid, workflowId)),
  };
  const runner: RunnerDeps = {
    ...base,
    ticker,
    model: options.model,
    dispatchers: {
      memo: createMemoDispatcher({
        memos,
        clock,
        listened: (ownerUid) => tell.listeners.tags(ownerUid),
        onLanded: (ownerUid, memoId) => tellOfMemo(tell, ownerUid, memoId),
      }),
    },
    spend,
    hasMemo: (ownerUid, ref) => hasMemo({ memos, catalog }, ownerUid, ref),
    pricingOf: (model) => ({ model, price: options.price === undefined ? "free" : options.price }),
    random: () => 0.5,
    compile: async (ownerUid, workflowId) => (await workflows.byId(ownerUid, workflowId))?.compiled,
    searchNotes,
    sources: { ...sources, ...options.sources },
    tools: { ...createReadTools({ memos, searchNotes }), ...options.tools },
    gateMemoIds: (ownerUid) => workflows.gateMemoIds(ownerUid),
    remainingMs: options.remainingMs ?? (() => 900_000),
    actions: { ...createStewardActions(ports), ...options.actions },
    registered: options.registered ?? { tools: {}, transforms: {} },
    peopleOnly: (workflowId) => peopleOnlyOf(bundled, workflowId),
  };
  const { gateMemoIds, hasMemo: knowsMemo } = runner;
  const stewardDeps = { ...base, gateMemoIds, hasMemo: knowsMemo };
  const passDeps: PassDeps & ResumeDeps = {
    ...base,
    admit: (ownerUid, workflowId) => admitWorkflow({ ...base, workflows, spend }, ownerUid, workflowId),
    wakeAt: (lane, at) => loops.putWake(lane, at),
  };
  const recoverDeps = { ...base, stuckRunMs: STUCK_RUN_MS, tellUntold: () => tellUntold(tell) };
  const fireDeps: FireDeps = {
    ...tell,
    loops,
    isBusy: (ownerUid, workflowId, slotKey) => isWorkflowBusy(base, laneKey(ownerUid, workflowId), slotKey),
    wakeLane: async (lane) => void (await queue.writeLane(lane as LaneKey, readyLane(lane as LaneKey))),
  };

  return {
    ...base,
    sessions,
    workflows,
    spend,
    loops,
    audits,
    tell,
    runner,
    stewardDeps,
    passDeps,
    recoverDeps,
    bells,
    rung,
    /** The waits that runs have asked for, in seconds. */
    delays,
    wakes: () => wakes,

    /** Puts memos into the library, workflows included; answers their ids by path. */
    async importFiles(files: Record<string, string>, ownerUid = OWNER): Promise<Record<string, string>> {
      const list = Object.entries(files).map(([path, text]) => ({ path, text }));
      const answers = await importMemos(
        { memos, clock, telling: (uid) => tellingOf(tell, uid) },
        { ownerUid, writtenBy: requesterOf(steward), sessionId: null, workflows: true },
        list,
      );
      for (const { memoId } of answers) if (memoId) await tellOfMemo(tell, ownerUid, memoId);
      return Object.fromEntries(answers.map((answer) => [answer.path, String(answer.memoId)]));
    },

    enqueue(
      command: string,
      payload: Record<string, unknown>,
      more: Partial<Omit<EnqueueRequest, "payload">> = {},
      by = agent,
    ) {
      const request = EnqueueRequest.parse({ payload, ...more });
      const given = { request, payloadText: JSON.stringify(payload), sessionId: null };
      return enqueueItem(tell, command, by, given);
    },

    /** An item whose payload is exactly this JSON text. */
    enqueueText(command: string, payloadText: string, sessionId: string | null = null) {
      const request = EnqueueRequest.parse({ payload: JSON.parse(payloadText) });
      return enqueueItem(tell, command, agent, { request, payloadText, sessionId });
    },

    /** What is due: slots of schedules, waits that are over. */
    fire: () => fireDue(fireDeps),
    pass: () => pass(passDeps),
    resume: () => resume(passDeps),
    recover: () => recover(recoverDeps),
    run: (bell: RunBell) => runTicket(runner, bell),
    decide: (holdId: string, sha256: string, verdict: "approve" | "reject", by = steward, reason?: string) =>
      decideOnRecord(stewardDeps, holdId, { principal: by, sessionId: null }, { verdict, sha256, reason }),

    /** Any decision, as a request has it. */
    say: (holdId: string, request: DecisionRequest, by = steward) =>
      decideOnRecord(stewardDeps, holdId, { principal: by, sessionId: null }, request),
    takeBack: (holdId: string, decisionId: string, by = steward) =>
      takeBackDecision(stewardDeps, holdId, by, decisionId),
    /** The hold at which a run waits, as a steward sees it. */
    async hold(runId: string) {
      const run = await runs.readHead(runId);
      if (run?.status !== "suspended" || run.gate.decision) {
        throw new Error(`expected an open hold, found ${JSON.stringify(run)}`);
      }
      return readHold(base, run.ownerUid, run.gate.holdId);
    },

    /** Delivers every bell that is out, and those that come of it. */
    async deliver(): Promise<void> {
      for (let bell = bells.shift(); bell; bell = bells.shift()) await runTicket(runner, bell);
    },

    /** Passes and bells until nothing more happens. */
    async settleDown(): Promise<void> {
      for (let round = 0; round < 50; round++) {
        const report = await pass(passDeps);
        if (report.started === 0 && bells.length === 0) return;
        await this.deliver();
      }
      throw new Error("the loop does not settle down");
    },

    /** One item taken as far as its hold. */
    async givenHeldRun(command = "/plain", payload: Record<string, unknown> = { topic: "Held" }, more = {}) {
      const { runId } = await this.enqueue(command, payload, more);
      await this.settleDown();
      const run = await runs.readHead(runId);
      if (run?.status !== "suspended") throw new Error(`expected a held run, found ${JSON.stringify(run)}`);
      return { runId, run, holdId: run.gate.holdId, sha256: run.gate.sha256 };
    },
  };
}
export type Loop = ReturnType<typeof createLoop>;
