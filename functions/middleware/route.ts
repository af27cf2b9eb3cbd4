import type * as z from "zod";
import { utf8Bytes } from "../../lib/core/bytes.ts";
import { AppError } from "../../lib/core/errors.ts";
import type { Id } from "../../lib/core/ids.ts";
import type { Principal, Scope } from "../../lib/core/principal.ts";
import { pageThatFits } from "./answer-budget.ts";
import { requireScope } from "./authenticate.ts";
import { headerOf, parametersOf, routeKeyOf, type HttpEvent } from "./http-event.ts";
import { pagingOf, type Paging } from "./paging.ts";
import { BODY_MAX_BYTES, bodyTextOf, parseBody } from "./parse-body.ts";
import { repeatable, type Repeating, type RepeatRules } from "./repeating.ts";

/** `POST /api/memos/{id}`: method and path as the topology declares them. */
export type RouteKey = `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;

/** What a route is given when nobody needs to be known. */
export type OpenRequest<B = undefined> = {
  body: B;
  /** The body as the caller sent it; empty when there was none. */
  bodyText: string;
  params: Record<string, string>;
  query: Record<string, string>;
  /** The pages of the list that route and path name. */
  paging: Paging;
  /** A header's value by name, in any case. */
  header(name: string): string | undefined;
  requestId: string;
  /** When the request came; the one time of the operation. */
  at: number;
};

/** What a route is given. */
export type HttpRequest<B = undefined> = OpenRequest<B> & {
  principal: Principal;
  /** The session of the header, when it exists and is this owner's. */
  session: Id<"ses"> | null;
};

/** What a route answers: a body becomes JSON, or is sent as it is when it is text with a content-type of its own. */
export type HttpResponse = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** A POST that writes nothing: `part` of its query answers one of its texts, as it does of a GET. */
  isRead?: true;
  /** Method and path at which the texts stand, where another request than this one answers them. */
  textsAt?: string;
  /** What the session's activity says beside the route. */
  activity?: { command?: string; tokensIn?: number; tokensOut?: number };
  /** What the request held stands on its session's timeline already, each part by itself. */
  isRecorded?: true;
};

type Call = { event: HttpEvent; requestId: string; at: number };
type KnownCall = Call & {
  principal: Principal;
  session: Id<"ses"> | null;
  cursorKey: string;
  repeating?: Repeating;
};

/** What a route declares, as the contract tells it. */
export type Declared = {
  scope?: Scope | null;
  body?: z.ZodType;
  query?: z.ZodObject;
  /** Takes an Idempotency-Key. */
  repeats?: boolean;
  /** Takes the key of operators. */
  internal?: boolean;
};

export type Route = {
  declared: Declared;
  /** The request is an envelope around calls, and no write itself: those among them that write are counted one by one. */
  isEnvelope?: boolean;
} & (
  | { access: "key"; answer(call: KnownCall): Promise<HttpResponse> }
  | { access: "open"; answer(call: Call): Promise<HttpResponse> }
);
export type Routes = Readonly<Record<RouteKey, Route>>;

type BodyRules<S extends z.ZodType> = {
  /** Schema of the JSON body; without it the body is `undefined` and only `bodyText` is there. */
  body?: S;
  /** What of the query is read, for the contract; the route itself checks it. */
  query?: z.ZodObject;
  /** @default 256 KB, in UTF-8 bytes */
  maxBodyBytes?: number;
};

/** A route for whoever has the scope; null for any valid key. */
export function route<S extends z.ZodType = z.ZodUndefined>(
  rules: BodyRules<S> & {
    scope: Scope | null;
    run(request: HttpRequest<z.infer<S>>): Promise<HttpResponse>;
    /** The route takes an Idempotency-Key: what it makes has no key of its own by which a repeat is known. */
    repeats?: RepeatRules;
    isEnvelope?: boolean;
    /** Told of a caller that lacks the scope, before it is refused. */
    denied?(request: HttpRequest<undefined>): Promise<void>;
  },
): Route {
  return {
    access: "key",
    declared: { ...declaredOf(rules), scope: rules.scope, repeats: rules.repeats !== undefined },
    isEnvelope: rules.isEnvelope ?? false,
    async answer({ principal, session, cursorKey, repeating, ...call }) {
      const known = { ownerUid: principal.ownerUid, cursorKey };
      if (rules.scope && rules.denied && !principal.scopes.includes(rules.scope)) {
        await rules.denied({ ...requestOf<z.ZodUndefined>(call, {}, known), principal, session });
      }
      if (rules.scope) requireScope(principal, rules.scope);
      const request = { ...requestOf(call, rules, known), principal, session };
      if (routeKeyOf(call.event).startsWith("GET ")) {
        return pageThatFits(call.event, (event) =>
          rules.run({ ...requestOf({ ...call, event }, rules, known), principal, session }),
        );
      }
      if (!rules.repeats || !repeating) return rules.run(request);
      const sent = { event: call.event, ownerUid: principal.ownerUid, bodyText: request.bodyText };
      return repeatable(repeating, rules.repeats, sent, () => rules.run(request));
    },
  };
}

/** A route that needs no key; it is not tracked. */
export function openRoute<S extends z.ZodType = z.ZodUndefined>(
  rules: BodyRules<S> & { run(request: OpenRequest<z.infer<S>>): Promise<HttpResponse> },
): Route {
  return {
    access: "open",
    declared: declaredOf(rules),
    answer: async (call) => rules.run(requestOf(call, rules, NOBODY)),
  };
}

const declaredOf = ({ body, query }: BodyRules<z.ZodType>): Declared => ({
  ...(body && { body }),
  ...(query && { query }),
});

/** Longest value of a path in UTF-8 bytes: above any id or name of ours, below what a store takes as a key. */
const PATH_VALUE_MAX_BYTES = 512;

/** @throws {AppError} invalid_request for what could be no id: as a key of the store it would be a fault of ours */
export function shortOnes(params: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(params)) {
    const actual = utf8Bytes(value);
    if (actual <= PATH_VALUE_MAX_BYTES) continue;
    const message = `has ${actual} bytes; at most ${PATH_VALUE_MAX_BYTES} are read`;
    throw new AppError("invalid_request", `{${name}} of the path ${message}`, {
      failing: [{ pointer: `/path/${name}`, message }],
    });
  }
  return params;
}

/** Lists without an owner are one page each: nothing is signed for nobody. */
const NOBODY = { ownerUid: "", cursorKey: "" };

function requestOf<S extends z.ZodType>(
  call: Call,
  rules: BodyRules<S>,
  { ownerUid, cursorKey }: { ownerUid: string; cursorKey: string },
): OpenRequest<z.infer<S>> {
  const { event, requestId, at } = call;
  const bodyText = bodyTextOf(event, rules.maxBodyBytes ?? BODY_MAX_BYTES);
  const params = shortOnes(parametersOf(event.pathParameters));
  const query = parametersOf(event.queryStringParameters);
  return {
    // Without a schema S is ZodUndefined, whose value this is.
    body: rules.body ? parseBody(event, bodyText, rules.body) : (undefined as z.infer<S>),
    bodyText,
    params,
    query,
    paging: pagingOf({ ownerUid, place: [routeKeyOf(event), ...Object.values(params)] }, query, cursorKey),
    header: (name) => headerOf(event.headers, name),
    requestId,
    at,
  };
}
