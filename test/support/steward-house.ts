import type { RegisteredContext, ToolOutcome } from "../../lib/core/registered.ts";
import type { Principal } from "../../lib/core/principal.ts";
import { createSession, type NewSession } from "../../lib/sessions/create.ts";
import { HeartbeatReport } from "../../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../../lib/sessions/report-heartbeat.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import { stampSession } from "../../lib/sessions/track.ts";
import type { OwnedWork, Work } from "../../lib/steward/owned-work.ts";
import { createVerdictLedger } from "../../lib/steward/store.ts";
import type { StewardPorts } from "../../lib/steward/tools/ports.ts";
import { createStewardTools } from "../../lib/steward/tools/steward-tools.ts";
import { testClock } from "./clock.ts";
import type { Engine } from "./engine.ts";
import { agentOf, humanOf } from "./http-event.ts";
import { countingIds } from "./ids.ts";

const MINUTE_MS = 60_000;
let owners = 0;
/** One for all houses: they may stand on one engine. */
const ids = countingIds();

/** Sessions of one owner on a real engine, their agents, and a steward's tools. */
export function stewardHouse(engine: Engine) {
  const clock = testClock();
  const sessions = createSessionStore(engine.doc, engine.tables);
  const ledger = createVerdictLedger(engine.doc, engine.tables);
  const deps = { sessions, clock, ids };
  const agent = agentOf(`ana${++owners}`);
  const human = humanOf(agent.ownerUid);
  const work = new Map<string, Work>();
  const ownedWork: OwnedWork = async () => work;
  const ports: StewardPorts = {
    sessions,
    ledger,
    clock,
    ownedWork,
    modelRoles: () => ({ "judge.session": "small" }),
  };
  let requests = 0;
  let runs = 0;
  const prefix = `${agent.ownerUid}run`;

  const given = {
    clock,
    sessions,
    ledger,
    agent,
    human,
    work,
    ports,

    /** A session of which nothing more is heard. */
    async silent(more: Partial<NewSession> = {}, principal: Principal = agent) {
      const input = { principal, name: "n", purpose: "p", origin: "cron:job", ...more };
      return (await createSession(deps, input)).sessionId;
    },
    /** A session that may be ended by its origin, with one heartbeat of its agent. */
    async session(more: Partial<NewSession> = {}, { principal = agent as Principal, report = {} } = {}) {
      const sessionId = await given.silent(more, principal);
      await given.beat(sessionId, { tokensIn: 10, tokensOut: 5, ...report }, principal);
      return sessionId;
    },
    beat: (sessionId: string, report: object, principal: Principal = agent) =>
      reportHeartbeat(deps, { principal, sessionId, report: HeartbeatReport.parse(report) }),
    request: (sessionId: string) =>
      stampSession(deps, {
        sessionId,
        principal: agent,
        requestId: `r${++requests}`,
        at: clock.now(),
        activity: {
          route: "GET /api/memos",
          argsDigest: "d",
          command: null,
          status: 200,
          ms: 1,
          tokensIn: null,
          tokensOut: null,
        },
      }),
    /** The row as it is stored now. */
    row: async (sessionId: string) => (await sessions.readSessions([sessionId]))[0]!,
    mail: (sessionId: `ses_${string}`) => sessions.messages(sessionId, { notBefore: 0, limit: 50 }),
    pass: (minutes: number) => clock.advance(minutes * MINUTE_MS),

    /** A run that a person asked for and that starts now. */
    run(more: Partial<RegisteredContext> = {}): RegisteredContext {
      const at = clock.now();
      const runId = `run_${prefix}${++runs}`;
      const { principalId, kind, uid, username } = human;
      return {
        ownerUid: agent.ownerUid,
        sessionId: null,
        runId,
        at,
        requestedBy: { principalId, kind, uid, username },
        runStartedAt: at,
        itemPlace: "step#0",
        ...more,
      };
    },
    async call(
      name: string,
      context: RegisteredContext,
      input: unknown = {},
      with_: Partial<StewardPorts> = {},
    ): Promise<ToolOutcome> {
      return createStewardTools({ ...ports, ...with_ })[name]!.call(context, input);
    },
    /** What a tool gave; typed loosely, as a step's output is. */
    // oxlint-disable-next-line typescript/no-explicit-any
    async value(name: string, context: RegisteredContext, input: unknown = {}): Promise<any> {
      const outcome = await given.call(name, context, input);
      if (!("value" in outcome)) throw new Error(`${name} asks to be called again`);
      return outcome.value;
    },
    /** What became of one session by one verdict. */
    async apply(
      sessionId: string,
      verdict: Record<string, unknown>,
      context: RegisteredContext = given.run(),
      with_: Partial<StewardPorts> = {},
    ): Promise<Record<string, unknown>> {
      const input = {
        sessionIds: [sessionId],
        apply: true,
        note: "as seen",
        idleMinutes: 30,
        userOrigins: ["chat-starter", "vscode"],
        closableOrigins: ["cron:*", "gate", "workflow:*", "loop:*"],
        ...verdict,
      };
      const outcome = await given.call("session_wrapup_apply", context, input, with_);
      return (outcome as { value: { results: Record<string, unknown>[] } }).value.results[0]!;
    },
  };
  return given;
}
export type StewardHouse = ReturnType<typeof stewardHouse>;
