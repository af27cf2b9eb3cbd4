import { humanOf } from "../../support/http-event.ts";
import { agent, OWNER } from "../../support/loop.ts";
import { countingIds } from "../../support/ids.ts";
import type { StewardLoop } from "../../support/steward-loop.ts";
import type { Principal } from "../../../lib/core/principal.ts";
import { createSession, type NewSession } from "../../../lib/sessions/create.ts";
import { endSession } from "../../../lib/sessions/end.ts";
import { HeartbeatReport } from "../../../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../../../lib/sessions/report-heartbeat.ts";
import type { SessionId } from "../../../lib/sessions/session.ts";

const HOUR_MS = 60 * 60_000;

/** What becomes of a kind of session over the day. */
export type Kind = {
  name: string;
  count: number;
  /** By whom, and how it is opened. */
  principal: Principal;
  session(nth: number): Partial<NewSession>;
  /** Another session asked for it, which goes on or has ended. */
  parent?: "live" | "ended";
  /** Told when it is opened. */
  opens?(nth: number): object;
  /** Told in each hour, just before the pass; undefined is silence. */
  hourly?(nth: number, hour: number, at: number): object | undefined;
  /** Whether any pass may end it, or flag it. */
  mayEnd: boolean;
  mayFlag: boolean;
};

const human = humanOf(OWNER);
const call = (command: string, at: number) => ({ tool: "shell", command, at });
const merged = { worktree: { branch: "b", dirty: false, pr: { state: "merged", number: 7 } } };
const idle = { tokensIn: 50, tokensOut: 20, busy: false };
const said = (text: string) => ({ ...idle, turns: [{ role: "assistant", text }] });
const cron = (nth: number) => ({ origin: `cron:job-${nth}` });

/** All kinds of a day; their counts are 200 together, without the parents of executors. */
export const KINDS: readonly Kind[] = [
  {
    name: "busy",
    count: 15,
    principal: agent,
    session: cron,
    hourly: (nth, hour, at) => ({
      busy: true,
      tokensIn: 100 * (hour + 1),
      toolCalls: [1, 2, 3, 4].map((step) => call(`edit file-${nth}-${hour}-${step}`, at - step * 60_000)),
    }),
    mayEnd: false,
    mayFlag: false,
  },
  {
    name: "looping",
    count: 10,
    principal: agent,
    session: cron,
    hourly: (_nth, hour, at) => ({
      busy: true,
      tokensIn: 100 * (hour + 1),
      toolCalls: [1, 2, 3, 4, 5].map((step) => call("cat notes.md", at - step * 60_000)),
    }),
    mayEnd: false,
    mayFlag: false,
  },
  {
    name: "stalled",
    count: 10,
    principal: agent,
    session: cron,
    opens: () => ({ busy: true, tokensIn: 9, tokensOut: 9 }),
    mayEnd: false,
    mayFlag: false,
  },
  {
    name: "never ran",
    count: 15,
    principal: agent,
    session: cron,
    opens: () => ({ tokensIn: 0, tokensOut: 0 }),
    mayEnd: true,
    mayFlag: true,
  },
  { name: "never started", count: 5, principal: agent, session: cron, mayEnd: true, mayFlag: true },
  {
    name: "merged",
    count: 25,
    principal: agent,
    session: cron,
    opens: () => ({ ...said("All of it is merged."), ...merged }),
    mayEnd: true,
    mayFlag: true,
  },
  {
    name: "waiting",
    count: 15,
    principal: agent,
    session: cron,
    opens: () => ({ ...said("Which of the two?"), awaitingInput: true }),
    mayEnd: false,
    mayFlag: false,
  },
  {
    name: "kept alive",
    count: 10,
    principal: agent,
    session: (nth) => ({ ...cron(nth), keepAlive: true }),
    opens: () => ({ ...said("Ready."), ...merged }),
    mayEnd: true,
    mayFlag: true,
  },
  {
    name: "own job",
    count: 10,
    principal: agent,
    session: () => ({ origin: "cron:memo_session-steward.0" }),
    opens: () => said("Reported."),
    mayEnd: false,
    mayFlag: false,
  },
  {
    name: "a person's",
    count: 25,
    principal: human,
    session: (nth) => ({ origin: ["vscode", "cron:forged", "gate"][nth % 3]! }),
    opens: () => ({ ...said("All done."), ...merged }),
    mayEnd: false,
    mayFlag: true,
  },
  {
    name: "a root of an agent",
    count: 10,
    principal: agent,
    session: () => ({}),
    opens: () => said("All done."),
    mayEnd: false,
    mayFlag: true,
  },
  {
    name: "judged",
    count: 20,
    principal: agent,
    session: cron,
    opens: (nth) => said(`Report ${nth}: finished.`),
    mayEnd: true,
    mayFlag: true,
  },
  {
    name: "executor of an ended session",
    count: 10,
    principal: agent,
    parent: "ended",
    session: () => ({}),
    opens: () => said("Done, as asked."),
    mayEnd: true,
    mayFlag: true,
  },
  {
    name: "executor of a live session",
    count: 10,
    principal: agent,
    parent: "live",
    session: () => ({}),
    opens: () => said("Done, as asked."),
    mayEnd: false,
    mayFlag: false,
  },
  {
    name: "owner of a hold",
    count: 10,
    principal: agent,
    session: cron,
    opens: () => said("Waiting for the steward's word."),
    mayEnd: true,
    mayFlag: true,
  },
];

/** Kinds of which a day leaves none alive: rules alone end them. */
export const SURELY_ENDED = ["merged", "never ran", "never started", "executor of an ended session"];

/** Verdicts of the judge by the number of the session: every kind of answer, sure and unsure, and nonsense. */
export function judgeSays(label: string): (sessionId: string) => string {
  const nth = Number(/-(\d+)$/.exec(label)?.[1] ?? 0);
  const verdicts = ["done", "active", "blocked", "needs-input", "abandoned"] as const;
  const verdict = verdicts[nth % verdicts.length];
  const confidence = nth % 7 === 0 ? 0.5 : 0.9;
  return (sessionId) =>
    nth % 11 === 10
      ? `It is ${verdict}, I think.`
      : JSON.stringify({ sessionId, verdict, confidence, reason: `as number ${nth} of its kind` });
}

export type Fleet = ReadonlyMap<SessionId, { kind: Kind; nth: number }>;

/** Opens the sessions of a day, or a share of each kind, and the runs that some of them own. */
export async function openFleet({ loop, clock, sessions }: StewardLoop, share = 1): Promise<Fleet> {
  const deps = { sessions, clock, ids: countingIds() };
  const fleet = new Map<SessionId, { kind: Kind; nth: number }>();
  for (const kind of KINDS) {
    for (let nth = 0; nth < Math.ceil(kind.count * share); nth++) {
      const { principal } = kind;
      const parent = kind.parent && (await openParent(deps, kind.parent, principal));
      const input = {
        ...parent,
        principal,
        name: `${kind.name}-${nth}`,
        purpose: kind.name,
        ...kind.session(nth),
      };
      const { sessionId } = await createSession(deps, input);
      fleet.set(sessionId, { kind, nth });
      const report = kind.opens?.(nth);
      if (report) await tell(deps, sessionId, principal, report);
      if (kind.name === "owner of a hold") {
        await loop.enqueueText("/plain", JSON.stringify({ topic: `Held for ${nth}` }), sessionId);
      }
    }
  }
  await loop.settleDown();
  return fleet;
}

async function openParent(
  deps: Parameters<typeof createSession>[0],
  becomes: "live" | "ended",
  principal: Principal,
): Promise<Pick<NewSession, "parentSessionId">> {
  const { sessionId } = await createSession(deps, { principal, name: "parent", purpose: "ask others" });
  if (becomes === "ended") await endSession(deps, { principal, sessionId });
  return { parentSessionId: sessionId };
}

/** Lets an hour go by, in which every agent that still lives tells what it does. */
export async function passHour({ clock, sessions }: StewardLoop, fleet: Fleet, hour: number): Promise<void> {
  clock.advance(HOUR_MS);
  const live = new Set(
    (await sessions.readSessions([...fleet.keys()]))
      .filter(({ status }) => status === "live")
      .map(({ sessionId }) => sessionId),
  );
  for (const [sessionId, { kind, nth }] of fleet) {
    const report = live.has(sessionId) ? kind.hourly?.(nth, hour, clock.now()) : undefined;
    if (report) await tell({ sessions, clock }, sessionId, kind.principal, report);
  }
}

const tell = (
  deps: Pick<StewardLoop, "sessions" | "clock">,
  sessionId: SessionId,
  principal: Principal,
  report: object,
) => reportHeartbeat(deps, { principal, sessionId, report: HeartbeatReport.parse(report) });
