/** One turn of a conversation, as an agent tells it. */
export type ReportedTurn = { role: "user" | "assistant"; text: string; at: number };

/** One call of a tool, as an agent tells it. */
export type ReportedToolCall = { tool: string; command?: string; at: number; isError?: boolean };

/** What is said outright; what is left out stays as it was told before. */
export type State = {
  busy?: boolean;
  awaitingInput?: boolean;
  /** A tool waits until somebody allows it. */
  awaitingPermission?: boolean;
  /** Where the agent works, and how far it is there. */
  worktree?: {
    branch?: string;
    dirty?: boolean;
    ahead?: number;
    behind?: number;
    pr?: { state: "open" | "merged" | "closed"; number?: number } | null;
  } | null;
  tokensIn?: number;
  tokensOut?: number;
  pendingBackgroundTasks?: number;
};

/** Bounds of the heartbeat's body, as the API has them. */
const MAX_TURNS = 10;
const MAX_TOOL_CALLS = 120;
const TEXT_MAX_LENGTH = 3000;
const TOOL_MAX_LENGTH = 100;
const COMMAND_MAX_LENGTH = 300;
const ERROR_MAX_LENGTH = 500;
const MAX_RECEIVED = 50;

/** What has been told so far, kept by an agent that is a new process each time. */
export type ReportWindow = {
  turns: readonly ReportedTurn[];
  toolCalls: readonly ReportedToolCall[];
  turnsCompleted: number;
  error?: { at: number; text: string };
};

/**
 * Collects what an agent does. `body` is the next heartbeat's: the newest turns and calls, whole, since they replace
 * those that were told before. `confirm` when it has arrived, `undo` when it has not.
 */
export function createSessionReport(before?: ReportWindow) {
  let state: State = {};
  let window: ReportWindow = before ?? { turns: [], toolCalls: [], turnsCompleted: 0 };
  let received: string[] = [];
  let isNew = true;

  return {
    /** Whether something happened since the last body was made. */
    get isNew() {
      return isNew;
    },
    get window() {
      return window;
    },
    set(told: State): void {
      state = { ...state, ...told };
      isNew = true;
    },
    /** An assistant's turn is a completed one. */
    turn(turn: ReportedTurn): void {
      const text = capped(turn.text, TEXT_MAX_LENGTH, turn.role === "assistant");
      window = {
        ...window,
        turns: [...window.turns, { ...turn, text }].slice(-MAX_TURNS),
        turnsCompleted: window.turnsCompleted + (turn.role === "assistant" ? 1 : 0),
      };
      isNew = true;
    },
    toolCall({ tool, command, ...rest }: ReportedToolCall): void {
      const call = {
        tool: capped(tool, TOOL_MAX_LENGTH),
        ...(command !== undefined && { command: capped(command, COMMAND_MAX_LENGTH) }),
        ...rest,
      };
      window = { ...window, toolCalls: [...window.toolCalls, call].slice(-MAX_TOOL_CALLS) };
      isNew = true;
    },
    failed(error: { at: number; text: string }): void {
      window = { ...window, error: { ...error, text: capped(error.text, ERROR_MAX_LENGTH) } };
      isNew = true;
    },
    /** The message has been handed over: the next heartbeat says so, and it is not sent again. */
    received(messageId: string): void {
      if (!received.includes(messageId)) received.push(messageId);
      isNew = true;
    },
    /** The body of the next heartbeat, with the receipts that `confirm` takes off once it has arrived. */
    body(at: number): Record<string, unknown> {
      isNew = false;
      const { turns, toolCalls, turnsCompleted, error } = window;
      return {
        at,
        ...state,
        turnsCompleted,
        ...(turns.length > 0 && { turns }),
        ...(toolCalls.length > 0 && { toolCalls }),
        ...(error && { lastTurnErroredAt: error.at, lastTurnError: error.text }),
        ...(received.length > 0 && { received: received.slice(0, MAX_RECEIVED) }),
      };
    },
    confirm(body: Record<string, unknown>): void {
      const told = (body["received"] ?? []) as readonly string[];
      received = received.filter((id) => !told.includes(id));
    },
    undo(): void {
      isNew = true;
    },
  };
}
export type SessionReport = ReturnType<typeof createSessionReport>;

/** At most so many UTF-16 units, without half a pair: the head, or the tail, where a turn's end says more. */
function capped(text: string, max: number, tail = false): string {
  const whole = text.toWellFormed();
  if (whole.length <= max) return whole;
  const cut = tail ? whole.slice(-max) : whole.slice(0, max);
  return tail ? cut.replace(/^[\uDC00-\uDFFF]/, "") : cut.replace(/[\uD800-\uDBFF]$/, "");
}
