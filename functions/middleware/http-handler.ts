import type { Clock } from "../../lib/core/clock.ts";
import { AppError } from "../../lib/core/errors.ts";
import type { Principal } from "../../lib/core/principal.ts";
import type { Limiter } from "../../lib/rate-limits/limiter.ts";
import type { SessionStore } from "../../lib/sessions/store.ts";
import { authenticate } from "./authenticate.ts";
import { pathOf, routeKeyOf, type HttpAnswer, type HttpEvent } from "./http-event.ts";
import { errorFields, type Log } from "./log.ts";
import { isServerFault, problemAnswer } from "./map-errors.ts";
import type { Repeating } from "./repeating.ts";
import type { HttpResponse, Route, Routes } from "./route.ts";
import { sentAnswer } from "./sent-answer.ts";
import type { SignIn } from "./sign-in.ts";
import { findSession, trackRequest, type Tracking } from "./track-session.ts";

export type HttpDeps = {
  clock: Clock;
  /** Absent where no route takes a key: nothing is tracked then. */
  sessions?: SessionStore;
  log?: Log;
  /** Absent where writes are not limited. */
  limiter?: Limiter;
  /** Absent where no route takes an Idempotency-Key. */
  repeating?: Repeating;
  /** Absent where nobody signs in but by key. */
  signIn?: SignIn | undefined;
};

/** What the steps of a request learn on the way, so that a failing one is still recorded. */
type Seen = { principal?: Principal; tracking?: Tracking; activity?: HttpResponse["activity"] };

/** A handler, with the routes that it declares. */
export type HttpHandler = ((event: HttpEvent) => Promise<HttpAnswer>) & { routes: Routes };

/**
 * One handler for the routes of a function: authenticates, checks the scope, parses, runs, maps every error to
 * problem+json and records the request on the session that its header names. Never throws.
 */
export function httpHandler(deps: HttpDeps, routes: Routes): HttpHandler {
  const handle = async (event: HttpEvent): Promise<HttpAnswer> => {
    const at = deps.clock.now();
    const { requestId } = event.requestContext;
    const seen: Seen = {};
    const answer = await answerOf(deps, routes, { event, requestId, at, seen });
    const ms = Math.max(0, deps.clock.now() - at);
    const headers = {
      "cache-control": "no-store",
      ...answer.headers,
      "x-request-id": requestId,
      ...(await trackedHeaders(deps, seen, { event, requestId, at, ms, status: answer.statusCode })),
    };
    deps.log?.info("request", {
      requestId,
      route: routeKeyOf(event),
      status: answer.statusCode,
      ms,
      principalId: seen.principal?.principalId,
      sessionId: seen.tracking?.tracked?.session.sessionId,
    });
    return { ...answer, headers };
  };
  return Object.assign(handle, { routes });
}

type Step = { event: HttpEvent; requestId: string; at: number; seen: Seen };

async function answerOf(deps: HttpDeps, routes: Routes, step: Step): Promise<HttpAnswer> {
  try {
    const response = await run(deps, findRoute(routes, step.event), step);
    step.seen.activity = response.activity;
    if (response.isRecorded) delete step.seen.tracking;
    return sentAnswer(step.event, response);
  } catch (error) {
    if (isServerFault(error)) {
      const route = routeKeyOf(step.event);
      deps.log?.error("request failed", { requestId: step.requestId, route, ...errorFields(error) });
    }
    return problemAnswer(error, step.requestId);
  }
}

async function run(deps: HttpDeps, route: Route, step: Step): Promise<HttpResponse> {
  const { event, requestId, at, seen } = step;
  if (route.access === "open") return route.answer({ event, requestId, at });
  const caller = authenticate(event, deps.signIn);
  seen.principal = caller.principal;
  if (!route.isEnvelope && !routeKeyOf(event).startsWith("GET "))
    await limitWrites(deps.limiter, caller.principal, at);
  seen.tracking = await findSession(deps.sessions, event, caller.principal);
  const session = seen.tracking.tracked?.session.sessionId ?? null;
  const { repeating } = deps;
  return route.answer({ event, requestId, at, ...caller, session, ...(repeating && { repeating }) });
}

/** Before the session is looked up: a refused request costs no read and no write. @throws {AppError} rate_limited */
export async function limitWrites(
  limiter: Limiter | undefined,
  principal: Principal,
  at: number,
): Promise<void> {
  const refusal = await limiter?.(principal.keyId ?? principal.principalId, at);
  if (!refusal) return;
  const { limit, retryAfterMs } = refusal;
  throw new AppError("rate_limited", `this key may write ${limit} times a minute`, {
    limit,
    perSeconds: 60,
    retryAfterSec: Math.ceil(retryAfterMs / 1000),
  });
}

async function trackedHeaders(
  deps: HttpDeps,
  seen: Seen,
  request: Omit<Step, "seen"> & { ms: number; status: number },
): Promise<Record<string, string>> {
  const { principal, tracking, activity } = seen;
  if (!deps.sessions || !principal || !tracking) return {};
  const { sessions, log } = deps;
  return trackRequest({ sessions, log }, { ...request, principal, tracking, activity });
}

/** @throws {AppError} not_found, method_not_allowed */
function findRoute(routes: Routes, event: HttpEvent): Route {
  const key = routeKeyOf(event);
  const found = Object.hasOwn(routes, key) ? routes[key as keyof Routes] : undefined;
  if (found) return found;
  const pattern = key.slice(key.indexOf(" ") + 1);
  const allowed = Object.keys(routes)
    .filter((other) => other.slice(other.indexOf(" ") + 1) === pattern)
    .map((other) => other.slice(0, other.indexOf(" ")));
  const path = pathOf(event);
  if (allowed.length === 0) throw new AppError("not_found", `nothing is at ${path}`, { path });
  throw new AppError("method_not_allowed", `${path} takes ${allowed.join(", ")}`, { allowed });
}
