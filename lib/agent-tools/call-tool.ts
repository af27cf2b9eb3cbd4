import type * as z from "zod";
import { AppError } from "../core/errors.ts";
import { digestOf } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import { truncate } from "../core/text.ts";
import { stampSession } from "../sessions/track.ts";
import type { AgentTool, AgentToolDeps, Told } from "./agent-tool.ts";
import { sessionOfCall, sessionOfDay, type CallSession } from "./call-session.ts";
import { refusalOf, type Refusal } from "./refusal.ts";

const LABEL_MAX = 200;

/** A call as it came in, before anything of it is trusted. */
export type ToolRequest = {
  principal: Principal;
  arguments: unknown;
  argumentsText?: string;
  /** The session that the transport names; one among the arguments counts before it. */
  session?: string;
  requestId: string;
  at: number;
  waitUntil: number;
};

export type ToolAnswer =
  | { ok: true; says: string; value: Told["value"]; sessionId: string }
  | { ok: false; refusal: Refusal };

/**
 * One call of a tool: who may not is refused, what is no input is told with each place, and the call stands on its
 * session's timeline. Never throws.
 */
export async function callTool(
  deps: AgentToolDeps,
  tool: AgentTool,
  request: ToolRequest,
): Promise<ToolAnswer> {
  const startedAt = deps.clock.now();
  let session: CallSession | undefined;
  let label = "";
  let answer: ToolAnswer;
  try {
    requireScope(tool, request.principal);
    if (tool.writes) await deps.limitWrites?.(request.principal, request.at);
    const { session: said, input } = inputOf(tool, request.arguments);
    label = tool.label(input as never);
    session = await sessionFor(deps, tool, request, said, input);
    const { sessionId } = session.tracked.session;
    const { says, value } = await tool.call(deps, { ...request, sessionId }, input as never);
    answer = { ok: true, says: session.note ? `${says} ${session.note}` : says, value, sessionId };
  } catch (error) {
    answer = { ok: false, refusal: refusalOf(error) };
    if (answer.refusal.status >= 500) deps.failed?.(tool.name, error);
  }
  // A call that came too often costs nothing more.
  if (!answer.ok && answer.refusal.code === "rate_limited") return answer;
  await record(deps, tool, request, {
    session,
    label,
    startedAt,
    status: answer.ok ? 200 : answer.refusal.status,
  });
  return answer;
}

/** @throws {AppError} scope_missing */
function requireScope({ name, scope }: AgentTool, principal: Principal): void {
  if (principal.scopes.includes(scope)) return;
  throw new AppError("scope_missing", `${name} needs the scope ${scope}, which this key lacks`, { scope });
}

/** `session` is an argument of every tool, also where its schema does not spend words on it. */
function inputOf(
  tool: AgentTool,
  given: unknown,
): { session: string | undefined; input: Record<string, unknown> } {
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  const { session, ...rest } = (isObject ? given : {}) as Record<string, unknown>;
  const parsed = tool.input.safeParse(isObject || given === undefined ? rest : given);
  if (!parsed.success) throw invalid(tool, parsed.error);
  if (session !== undefined && typeof session !== "string") {
    throw new AppError("invalid_request", `${tool.name}: session is the id of a session`, { failing: [] });
  }
  return { session: session?.trim() || undefined, input: parsed.data };
}

function invalid(tool: AgentTool, { issues }: z.ZodError): AppError {
  const failing = issues
    .slice(0, 8)
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => `${key.slice(0, 60)} is not known`)
        : [`${issue.path.join(".") || "the arguments"}: ${issue.message}`],
    );
  const known = Object.keys(tool.input.shape).join(", ");
  const message = `${tool.name}: ${failing.join("; ")}. It takes ${known}`;
  return new AppError("invalid_request", message, { failing: [] });
}

/** A session that is asked for by name must be there; for a purpose one is begun. */
async function sessionFor(
  deps: AgentToolDeps,
  tool: AgentTool,
  { principal, session }: ToolRequest,
  said: string | undefined,
  input: Record<string, unknown>,
): Promise<CallSession> {
  const isTouch = tool.name === "touch_session";
  const { purpose } = input;
  if (isTouch && said === undefined && typeof purpose === "string") {
    return { tracked: await sessionOfDay(deps, principal, purpose), note: null };
  }
  const found = await sessionOfCall(deps, principal, said ?? session);
  if (!isTouch || said === undefined || found.note === null) return found;
  throw new AppError("session_not_found", found.note, { sessionId: said.slice(0, 200) });
}

/** What the call did stands, whether or not it could be recorded. */
async function record(
  deps: AgentToolDeps,
  tool: AgentTool,
  { principal, requestId, at, arguments: given, argumentsText, session }: ToolRequest,
  done: { session: CallSession | undefined; label: string; startedAt: number; status: number },
): Promise<void> {
  try {
    const { tracked } = done.session ?? (await sessionOfCall(deps, principal, session));
    await stampSession(deps, {
      sessionId: tracked.session.sessionId,
      principal,
      requestId,
      at,
      known: tracked,
      activity: {
        route: tool.name,
        argsDigest: digestOf([tool.name, argumentsText ?? JSON.stringify(given) ?? ""]),
        command: done.label === "" ? null : truncate(done.label, LABEL_MAX),
        status: done.status,
        ms: Math.max(0, deps.clock.now() - done.startedAt),
        tokensIn: null,
        tokensOut: null,
      },
    });
  } catch (error) {
    deps.notRecorded?.(error);
  }
}
