import { AppError, ERRORS, type ErrorCode } from "../../../lib/core/errors.ts";

/** What goes back to the client. */
export type Answer = {
  status: number;
  headers: Record<string, string>;
  cookies?: readonly string[];
  body: string | Buffer;
};

/** A function's JSON answer as HTTP; as on AWS, what has no status code is itself the body. */
export function answerOf(payload: string): Answer {
  const result: unknown = JSON.parse(payload);
  if (typeof result !== "object" || result === null || !("statusCode" in result)) {
    const body = typeof result === "string" ? result : payload;
    return { status: 200, headers: { "content-type": "application/json" }, body };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = result as {
    statusCode: number | string;
    headers?: Record<string, string | number | boolean>;
    cookies?: string[];
    body?: string | object;
    isBase64Encoded?: boolean;
  };
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  return {
    status: Number(statusCode),
    headers: {
      ...(text !== "" && { "content-type": "text/plain;charset=UTF-8" }),
      ...Object.fromEntries(
        Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
      ),
    },
    ...(cookies && { cookies }),
    body: isBase64Encoded ? Buffer.from(text, "base64") : text,
  };
}

/** An answer of the gateway's own, in the form that every error of the product has. */
export function problem<C extends ErrorCode>(error: AppError<C>, requestId: string): Answer {
  const { httpStatus, title, hint } = ERRORS[error.code];
  const allowed = "allowed" in error.details ? (error.details.allowed as string[]) : undefined;
  return {
    status: httpStatus,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...(allowed && { allow: allowed.join(", ") }),
    },
    body: JSON.stringify({
      ...error.details,
      type: `urn:mythos-loops:error:${error.code}`,
      title,
      status: httpStatus,
      code: error.code,
      detail: error.message,
      hint,
      requestId,
    }),
  };
}

/** What HTTP APIs answer themselves, such as 403 and 500. */
export const bareAnswer = (status: number, message: string): Answer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message }),
});
