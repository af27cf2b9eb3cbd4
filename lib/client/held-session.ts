import type { Clock, Ticker } from "../core/clock.ts";
import type { Answer, Client } from "./client.ts";
import { segment } from "./client.ts";
import type { Problem } from "./answers.ts";
import {
  createSessionReport,
  type ReportedToolCall,
  type ReportedTurn,
  type State,
} from "./session-report.ts";

/** A word to the agent: a question wants an answer in its next turn, a close request wants it to stop. */
export type MailboxMessage = {
  messageId: string;
  kind: "nudge" | "question" | "close_request";
  text: string;
  sentAt: number;
  from: string;
};

export type HoldSessionOptions = {
  name: string;
  purpose: string;
  origin?: string;
  parentSessionId?: string;
  keepAlive?: boolean;
  /** The session that this one goes on with, as after it was ended. */
  continuedFrom?: string;
  /** Between two heartbeats by the timer, in ms; a minute when left out. */
  everyMs?: number;
  /** Called once for each message, oldest first. */
  onMessage?: (message: MailboxMessage) => void;
  /** Called when a heartbeat did not arrive; the next one tells what it would have told. */
  onTrouble?: (problem: Problem) => void;
};

export type HeldSessionDeps = { client: Pick<Client, "call">; clock: Clock; ticker: Ticker };

const HEARTBEAT_MS = 60_000;
const ROUTE = "/api/internal/sessions";

/**
 * Starts a session and holds it: heartbeats by a timer and after each change of state, messages handed over once,
 * and an end. Nothing here throws when the host is away; work goes on, and what happened is told later.
 */
export async function holdSession(
  deps: HeldSessionDeps,
  { everyMs = HEARTBEAT_MS, onMessage, onTrouble, ...session }: HoldSessionOptions,
): Promise<Answer<HeldSession>> {
  const started = await deps.client.call<{ sessionId: string }>("POST", ROUTE, { body: session });
  if (!started.ok) return started;
  return { ok: true, value: held(deps, started.value.sessionId, { everyMs, onMessage, onTrouble }) };
}

type Listening = {
  everyMs: number;
  onMessage?: HoldSessionOptions["onMessage"] | undefined;
  onTrouble?: HoldSessionOptions["onTrouble"] | undefined;
};

function held({ client, clock, ticker }: HeldSessionDeps, sessionId: string, listening: Listening) {
  const path = `${ROUTE}/${segment(sessionId)}`;
  const report = createSessionReport();
  const ended = new AbortController();
  const handedOver = new Set<string>();
  let underWay: Promise<void> | undefined;
  const stopTimer = ticker(listening.everyMs, () => void beat());

  /** One at a time: what changes meanwhile goes with one more. */
  function beat(): Promise<void> {
    if (ended.signal.aborted) return Promise.resolve();
    underWay ??= beats().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  async function beats(): Promise<void> {
    do {
      const body = report.body(clock.now());
      const answer = await client.call<{ mailbox: MailboxMessage[] }>("POST", `${path}/heartbeat`, { body });
      if (!answer.ok) return trouble(answer.problem);
      report.confirm(body);
      for (const message of answer.value.mailbox) handOver(message);
    } while (report.isNew && !ended.signal.aborted);
  }

  function handOver(message: MailboxMessage): void {
    if (!handedOver.has(message.messageId)) {
      handedOver.add(message.messageId);
      listening.onMessage?.(message);
    }
    report.received(message.messageId);
  }

  function trouble(problem: Problem): void {
    report.undo();
    if (problem.code === "session_ended" || problem.code === "session_not_found") finish(problem);
    listening.onTrouble?.(problem);
  }

  function finish(reason: Problem | undefined): void {
    stopTimer();
    ended.abort(reason);
  }

  return {
    sessionId,
    /** Aborted once the session has ended, by whomever: an agent then stops its work. The reason says why. */
    ended: ended.signal,
    /** What is so now; changes are told at once. */
    async tell(state: State): Promise<void> {
      report.set(state);
      await beat();
    },
    turn: (turn: Omit<ReportedTurn, "at">) => report.turn({ ...turn, at: clock.now() }),
    toolCall: (call: Omit<ReportedToolCall, "at">) => report.toolCall({ ...call, at: clock.now() }),
    turnFailed: (text: string) => report.failed({ at: clock.now(), text }),
    /** A heartbeat now; resolves when it has arrived or failed. */
    beat,
    /** Tells what is left, ends the session and stops the timer; safe to call twice. */
    async end(outcome?: string): Promise<Answer<unknown>> {
      stopTimer();
      await beat();
      const answer = await client.call("POST", `${path}/end`, {
        body: outcome === undefined ? {} : { outcome },
      });
      if (answer.ok) finish(undefined);
      return answer;
    },
    /** Stops the timer and leaves the session as it is. */
    letGo: stopTimer,
  };
}
export type HeldSession = ReturnType<typeof held>;
