import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2, APIGatewayRequestAuthorizerEventV2 } from "aws-lambda";
import type { Route } from "../../topology.ts";

/** A request that has a route, its body read. */
export type RoutedRequest = {
  request: IncomingMessage;
  route: Route;
  rawPath: string;
  rawQueryString: string;
  pathParameters: Record<string, string>;
  body: Buffer;
  requestId: string;
  at: Date;
};

const ACCOUNT = "000000000000";
const API = "local";

/** The event of payload format 2.0: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html */
export function httpEvent(
  routed: RoutedRequest,
  authorizer?: Record<string, unknown>,
): APIGatewayProxyEventV2 {
  const common = commonParts(routed);
  return {
    version: "2.0",
    ...common,
    ...bodyOf(routed),
    requestContext: {
      ...common.requestContext,
      // The declared type knows no authorizer; handlers read it as unknown.
      ...(authorizer && { authorizer: { lambda: authorizer } }),
    },
  };
}

/** The event of a REQUEST authorizer of payload format 2.0. */
export function authorizerEvent(routed: RoutedRequest): APIGatewayRequestAuthorizerEventV2 {
  const { cookies = [], ...common } = commonParts(routed);
  return {
    version: "2.0",
    type: "REQUEST",
    routeArn: `arn:aws:execute-api:us-east-1:${ACCOUNT}:${API}/$default/${routed.route.method}${routed.rawPath}`,
    identitySource: [],
    ...common,
    cookies,
    stageVariables: {},
  };
}

function commonParts(routed: RoutedRequest) {
  const { request, route, rawPath, rawQueryString, pathParameters, requestId, at } = routed;
  const { cookie, ...headers } = headersOf(request);
  const query = queryOf(rawQueryString);
  const routeKey = `${route.method} ${route.path}`;
  return {
    routeKey,
    rawPath,
    rawQueryString,
    headers,
    ...(cookie && { cookies: cookie.split(/;\s*/) }),
    ...(query && { queryStringParameters: query }),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    requestContext: {
      accountId: ACCOUNT,
      apiId: API,
      domainName: headers["host"] ?? "127.0.0.1",
      domainPrefix: API,
      http: {
        method: route.method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId,
      routeKey,
      stage: "$default",
      time: accessLogTime(at),
      timeEpoch: at.getTime(),
    },
  };
}

/** Lower-cased names, several values of one name joined by commas. */
function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let position = 0; position < request.rawHeaders.length; position += 2) {
    const name = request.rawHeaders[position]!.toLowerCase();
    const value = request.rawHeaders[position + 1]!;
    const separator = name === "cookie" ? "; " : ",";
    headers[name] = name in headers ? `${headers[name]}${separator}${value}` : value;
  }
  return headers;
}

function queryOf(rawQueryString: string): Record<string, string> | undefined {
  if (rawQueryString === "") return undefined;
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    query[name] = name in query ? `${query[name]},${value}` : value;
  }
  return query;
}

const TEXT_TYPE = /^(text\/|application\/(?:[\w.+-]+\+)?(json|xml|javascript))/i;

/** Texts as they are; everything else, also a form as curl sends it and a text that is no UTF-8, in base64. */
function bodyOf({ request, body }: RoutedRequest): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  if (TEXT_TYPE.test(request.headers["content-type"] ?? "text/plain")) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
      return { body: text, isBase64Encoded: false };
    } catch {
      // Not UTF-8: the function gets the exact bytes.
    }
  }
  return { body: body.toString("base64"), isBase64Encoded: true };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `12/Mar/2026:19:03:58 +0000` */
function accessLogTime(at: Date): string {
  const day = `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}`;
  return `${day}:${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} +0000`;
}

const two = (value: number) => String(value).padStart(2, "0");
