import { readFileSync } from "node:fs";
import { readMemo } from "../../lib/memos/read.ts";
import { createSession, type NewSession } from "../../lib/sessions/create.ts";
import { HeartbeatReport } from "../../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../../lib/sessions/report-heartbeat.ts";
import type { SessionId } from "../../lib/sessions/session.ts";
import { createVerdictLedger } from "../../lib/steward/store.ts";
import { testClock } from "./clock.ts";
import type { Engine } from "./engine.ts";
import { countingIds } from "./ids.ts";
import { agent, createLoop, OWNER, steward } from "./loop.ts";
import { scriptedModel, type ScriptedReply } from "./scripted-model.ts";

const HOUR_MS = 60 * 60_000;
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

/** The fifth example as it stands, and the memos that it loads. */
export const EXAMPLE = read("../fixtures/examples/workflows/5-session-steward.md");
export const LOADED = {
  "rules.md": read("../../infra/local/library/session-steward-rules.md"),
  "verdicts.md": read("../../infra/local/library/verdict-examples.md"),
};

/** What a judge is asked about. */
export type Candidate = { sessionId: string; label: string; [fact: string]: unknown };

/** The loop with the steward that a memo describes, and a judge who answers by the names of sessions. */
export async function givenMemoSteward(
  engine: Pick<Engine, "doc" | "tables">,
  {
    answers = {},
    workflow = EXAMPLE,
    ...more
  }: { answers?: Record<string, ScriptedReply>; workflow?: string } & Partial<
    Parameters<typeof createLoop>[1]
  > = {},
) {
  const asked: Candidate[] = [];
  const model = scriptedModel(({ parts }) => {
    const candidate = JSON.parse(parts.findLast(({ kind }) => kind === "payload")!.text) as Candidate;
    asked.push(candidate);
    return answers[candidate.label] ?? said("active", 0);
  });
  const clock = more.clock ?? testClock();
  const loop = createLoop(engine, { model, clock, ...more });
  const files = await loop.importFiles({ ...LOADED, "5.md": workflow });
  const ids = countingIds();
  const deps = { sessions: loop.sessions, clock, ids };

  return {
    loop,
    clock,
    model,
    asked,
    workflowId: files["5.md"]!,
    ledger: createVerdictLedger(engine.doc, engine.tables),

    /** A session that a program opened by a job of its own; it said something and was quiet for an hour. */
    async session(name: string, of: Partial<NewSession> & { by?: typeof agent; report?: object } = {}) {
      const { by = agent, report = {}, ...given } = of;
      const input = { principal: by, name, purpose: "p", origin: "cron:nightly", ...given };
      const { sessionId } = await createSession(deps, input);
      const turns = [{ role: "assistant", text: "Finished." }];
      const told = HeartbeatReport.parse({ tokensIn: 5, tokensOut: 5, turns, ...report });
      await reportHeartbeat(deps, { principal: by, sessionId, report: told });
      return sessionId;
    },
    hourLater: () => clock.advance(HOUR_MS),
    row: async (id: SessionId) => (await loop.sessions.readSessions([id]))[0]!,

    /** A pass taken to its end, and the memo that it wrote. */
    async pass(payload: Record<string, unknown>, by = steward) {
      const dedupeKey = `pass ${clock.now()} ${JSON.stringify(payload)}`;
      const { runId } = await loop.enqueue("/steward-sessions", payload, { dedupeKey }, by);
      await loop.settleDown();
      return { runId, ...(await this.reportOf(runId)) };
    },
    async reportOf(runId: string) {
      const run = await loop.runs.readHead(runId);
      if (run?.status !== "done") throw new Error(`the pass did not end well: ${JSON.stringify(run)}`);
      const memoId = run.landing?.memoId;
      const memo = memoId === undefined ? undefined : await readMemo(loop, OWNER, memoId);
      return { run, memo, report: memo?.body ?? "" };
    },
  };
}

/** An answer of the judge. */
export const said = (verdict: string, confidence: number, note = `it looks ${verdict}`): string =>
  JSON.stringify({ verdict, confidence, note });
