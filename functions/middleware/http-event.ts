import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";
import { SIGN_IN_PREFIX } from "../env.ts";

/** An HTTP event of either payload version; the authorizer's context is read as unknown. */
export type HttpEvent = Pick<APIGatewayProxyEventV2, "headers" | "isBase64Encoded"> &
  Partial<Pick<APIGatewayProxyEventV2, "routeKey" | "rawPath">> &
  Partial<Pick<APIGatewayProxyEvent, "httpMethod" | "resource" | "path">> & {
    body?: string | null | undefined;
    pathParameters?: Record<string, string | undefined> | null | undefined;
    queryStringParameters?: Record<string, string | undefined> | null | undefined;
    requestContext: { requestId: string; authorizer?: unknown; http?: { method: string } };
  };

/** What a handler answers; the same form in both payload versions. */
export type HttpAnswer = {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: true;
};

/** A header by name in any case: HTTP APIs lower-case names, REST APIs and test tools do not. */
export function headerOf(headers: HttpEvent["headers"] | null | undefined, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(headers ?? {})) {
    if (key.toLowerCase() === wanted && value !== undefined) return value;
  }
  return undefined;
}

/** `POST /api/memos/{id}`, in both payload versions, and the same by whichever way the caller signed in. */
export const routeKeyOf = (event: HttpEvent): string =>
  (event.routeKey ?? `${event.httpMethod ?? ""} ${event.resource ?? ""}`).replace(
    ` ${SIGN_IN_PREFIX}/api/`,
    " /api/",
  );

/** The path as the caller wrote it, without its query. */
export const pathOf = (event: HttpEvent): string => event.rawPath ?? event.path ?? "";

/** Path or query parameters without the absent ones. Path parameters arrive decoded. */
export function parametersOf(
  parameters: Record<string, string | undefined> | null | undefined,
): Record<string, string> {
  const present = Object.entries(parameters ?? {}).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined;
  });
  return Object.fromEntries(present);
}
