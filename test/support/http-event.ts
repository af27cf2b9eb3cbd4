import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";
import type { Principal, Scope } from "../../lib/core/principal.ts";
import { PEOPLE_ONLY, SCOPES } from "../../lib/core/principal.ts";

/** An agent's principal with every scope that an agent can have. */
export function agentOf(ownerUid: string, scopes?: readonly Scope[]): Principal {
  return {
    principalId: `agent:key_${ownerUid}`,
    kind: "agent",
    ownerUid,
    uid: ownerUid,
    username: `${ownerUid}@example`,
    keyId: `key_${ownerUid}`,
    scopes: scopes ?? SCOPES.filter((scope) => !PEOPLE_ONLY.has(scope)),
  };
}

/** A person's principal with every scope. */
export const humanOf = (ownerUid: string): Principal => ({
  ...agentOf(ownerUid, SCOPES),
  principalId: `human:${ownerUid}`,
  kind: "human",
});

type Request = {
  /** `POST /api/memos/{id}`, as declared. */
  route: string;
  principal?: Principal | undefined;
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Text is sent as it is; anything else as JSON. */
  body?: unknown;
  requestId?: string;
};

let requests = 0;

/** A whole event of payload version 2.0, as an HTTP API sends it behind our authorizer. */
export function httpEvent(request: Request): APIGatewayProxyEventV2 {
  const [method = "", pattern = ""] = request.route.split(" ");
  const path = filled(pattern, request.params);
  const requestId = request.requestId ?? `req-${++requests}`;
  const body = bodyOf(request.body);
  return {
    version: "2.0",
    routeKey: request.route,
    rawPath: path,
    rawQueryString: new URLSearchParams(request.query).toString(),
    headers: { host: "api.example", ...typed(body, request.headers) },
    ...(request.query && { queryStringParameters: request.query }),
    ...(request.params && { pathParameters: request.params }),
    requestContext: {
      accountId: "000000000000",
      apiId: "api",
      domainName: "api.example",
      domainPrefix: "api",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "test" },
      requestId,
      routeKey: request.route,
      stage: "$default",
      time: "05/Jan/2026:09:00:00 +0000",
      timeEpoch: Date.UTC(2026, 0, 5, 9, 0, 0),
      ...authorizerOf(request.principal),
    },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
  };
}

/** The same request as a REST API sends it: payload version 1.0, header names as the client wrote them. */
export function restEvent(request: Request): APIGatewayProxyEvent {
  const [method = "", pattern = ""] = request.route.split(" ");
  const v2 = httpEvent(request);
  const { accountId, apiId, requestId, stage, timeEpoch } = v2.requestContext;
  const headers = v2.headers as Record<string, string>;
  return {
    resource: pattern,
    path: v2.rawPath,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: request.query ?? null,
    multiValueQueryStringParameters: null,
    pathParameters: request.params ?? null,
    stageVariables: null,
    requestContext: {
      accountId,
      apiId,
      authorizer: contextOf(request.principal),
      protocol: "HTTP/1.1",
      httpMethod: method,
      identity: { sourceIp: "127.0.0.1" } as APIGatewayProxyEvent["requestContext"]["identity"],
      path: v2.rawPath,
      stage,
      requestId,
      requestTimeEpoch: timeEpoch,
      resourceId: "x",
      resourcePath: pattern,
    },
    body: v2.body ?? null,
    isBase64Encoded: false,
  };
}

const contextOf = (principal: Principal | undefined) =>
  principal
    ? { principal: JSON.stringify(principal), cursorKey: `cursors of ${principal.ownerUid}` }
    : { principal: "" };

const authorizerOf = (principal: Principal | undefined): object => ({
  authorizer: { lambda: contextOf(principal) },
});

const filled = (pattern: string, params: Record<string, string> = {}): string =>
  pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

function bodyOf(body: unknown): string | undefined {
  return body === undefined || typeof body === "string" ? body : JSON.stringify(body);
}

function typed(body: string | undefined, headers: Record<string, string> = {}): Record<string, string> {
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return body === undefined || isTyped ? headers : { "content-type": "application/json", ...headers };
}
