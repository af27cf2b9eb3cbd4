import { digestOf } from "../../lib/core/ids.ts";
import type { Principal } from "../../lib/core/principal.ts";
import { truncate } from "../../lib/core/text.ts";
import { SESSION_HEADER } from "../../lib/sessions/session.ts";
import type { SessionStore } from "../../lib/sessions/store.ts";
import { findTracked, stampSession, type TrackedSession } from "../../lib/sessions/track.ts";
import { headerOf, parametersOf, pathOf, routeKeyOf, type HttpEvent } from "./http-event.ts";
import { errorFields, type Log } from "./log.ts";
import type { HttpResponse } from "./route.ts";

/** Says why a request was not recorded on the session that its header names. */
export const SESSION_WARNING_HEADER = "x-mythos-session-warning";

const COMMAND_MAX = 200;

/** Comes by a timer: it would keep an idle session awake. */
const HEARTBEAT_ROUTE = "POST /api/internal/sessions/{id}/heartbeat";

/** Whether a request named a session, and the session when it is this owner's. */
export type Tracking = { named: boolean; tracked: TrackedSession | undefined };

/** Looks the header's session up before the route runs: what the route writes carries its id. */
export async function findSession(
  sessions: SessionStore | undefined,
  event: HttpEvent,
  principal: Principal,
): Promise<Tracking> {
  const presented = headerOf(event.headers, SESSION_HEADER);
  if (!sessions || presented === undefined) return { named: false, tracked: undefined };
  return { named: true, tracked: await findTracked({ sessions }, principal.ownerUid, presented.trim()) };
}

/**
 * Records the finished request on its session and gives the headers that tell when it could not. Never fails:
 * what the request did stands, whether or not it could be recorded.
 */
export async function trackRequest(
  deps: { sessions: SessionStore; log: Log | undefined },
  request: {
    event: HttpEvent;
    principal: Principal;
    tracking: Tracking;
    requestId: string;
    at: number;
    ms: number;
    status: number;
    activity: HttpResponse["activity"];
  },
): Promise<Record<string, string>> {
  const { event, principal, tracking, requestId, at, ms, status, activity } = request;
  if (!tracking.named) return {};
  if (!tracking.tracked) return { [SESSION_WARNING_HEADER]: "unknown session" };
  const { sessionId } = tracking.tracked.session;
  try {
    const outcome = await stampSession(deps, {
      sessionId,
      principal,
      requestId,
      at,
      known: tracking.tracked,
      leavesTime: routeKeyOf(event) === HEARTBEAT_ROUTE,
      activity: {
        route: routeKeyOf(event),
        argsDigest: argumentsDigest(event),
        command: activity?.command === undefined ? null : truncate(activity.command, COMMAND_MAX),
        status,
        ms,
        tokensIn: activity?.tokensIn ?? null,
        tokensOut: activity?.tokensOut ?? null,
      },
    });
    if (outcome === "stamped") return {};
    return { [SESSION_WARNING_HEADER]: outcome === "ended" ? "session ended" : "unknown session" };
  } catch (error) {
    deps.log?.warn("request not recorded on its session", { requestId, sessionId, ...errorFields(error) });
    return { [SESSION_WARNING_HEADER]: "not recorded" };
  }
}

const argumentsDigest = (event: HttpEvent): string =>
  digestOf([pathOf(event), JSON.stringify(parametersOf(event.queryStringParameters)), event.body ?? ""]);
