import type { Heartbeat } from "./heartbeat.ts";
import { QUIET, type AgentState, type Session } from "./session.ts";

type Told = Pick<
  Heartbeat,
  "busy" | "lastTurnErroredAt" | "tokensIn" | "tokensOut" | "turnsCompleted" | "turns" | "toolCalls"
>;

/**
 * Whether a report tells of work that was not known: a counter rose, there is another newest turn or tool call, or a
 * turn has ended or failed, which a long and silent one does without any of these.
 */
export function hasProgressed(known: Told | undefined, told: Told): boolean {
  const rises = (counter: "tokensIn" | "tokensOut" | "turnsCompleted") =>
    (told[counter] ?? 0) > (known?.[counter] ?? 0);
  return (
    (known?.busy === true && told.busy === false) ||
    (told.lastTurnErroredAt ?? 0) > (known?.lastTurnErroredAt ?? 0) ||
    rises("tokensIn") ||
    rises("tokensOut") ||
    rises("turnsCompleted") ||
    isAnother(known?.turns?.at(-1), told.turns?.at(-1)) ||
    isAnother(known?.toolCalls?.at(-1), told.toolCalls?.at(-1))
  );
}

const isAnother = (known: object | undefined, told: object | undefined): boolean =>
  told !== undefined && JSON.stringify(orderedOf(told)) !== JSON.stringify(orderedOf(known ?? {}));

/** The store gives members in an order of its own. */
const orderedOf = (value: object) => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The state that a report leaves its agent in. */
export const stateOf = (heartbeat: Heartbeat | null | undefined): AgentState => ({
  busy: heartbeat?.busy ?? QUIET.busy,
  awaitingInput: heartbeat?.awaitingInput ?? QUIET.awaitingInput,
  awaitingPermission: heartbeat?.awaitingPermission ?? QUIET.awaitingPermission,
  pendingTasks: heartbeat?.pendingBackgroundTasks ?? QUIET.pendingTasks,
});

/** The state as it counts: the session's own row has it, once a report has changed anything. */
export const standingState = (session: Session, heartbeat: Heartbeat | null | undefined): AgentState =>
  session.stateSeq > 0 ? session : stateOf(heartbeat);

export const isSameState = (a: AgentState, b: AgentState): boolean =>
  a.busy === b.busy &&
  a.awaitingInput === b.awaitingInput &&
  a.awaitingPermission === b.awaitingPermission &&
  a.pendingTasks === b.pendingTasks;

/** When a session was last at work, by its requests and by what its agent told. */
export const lastWorkedAt = (session: Session, heartbeat: Heartbeat | null | undefined): number =>
  Math.max(session.lastActiveAt, heartbeat?.progressAt ?? 0);
