import { rawMember } from "../lib/core/json-slice.ts";
import type { HttpResponse } from "./middleware/route.ts";

const EVENTS = "text/event-stream";
const PASSED_ON = ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

type HeaderOf = (name: string) => string | undefined;

/** A request as the SDK reads it: it wants both forms of an answer accepted, whichever it then gives. */
export function requestFor(header: HeaderOf, body: string): Request {
  const headers = new Headers({ accept: `application/json, ${EVENTS}` });
  for (const name of PASSED_ON) {
    const value = header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request("http://mcp.invalid/mcp", { method: "POST", headers, body });
}

/** The SDK's answer as a whole. Who accepts JSON alone gets the one message of a stream as JSON. */
export async function answerFor(header: HeaderOf, response: Response): Promise<HttpResponse> {
  const { status } = response;
  const type = response.headers.get("content-type");
  const body = await response.text();
  if (!type) return { status, ...(body !== "" && { body }) };
  if (type.startsWith(EVENTS) && acceptsJsonAlone(header("accept"))) {
    const messages = [...body.matchAll(/^data: ?(.*)$/gm)].flatMap(([, data]) => (data ? [data] : []));
    const text = messages.length === 1 ? messages[0] : `[${messages.join(",")}]`;
    return { status, body: text, headers: { "content-type": "application/json" } };
  }
  return { status, body, headers: { "content-type": type } };
}

const acceptsJsonAlone = (accept: string | undefined): boolean =>
  accept !== undefined && accept.includes("application/json") && !accept.includes(EVENTS);

/** The arguments of a single call as they were sent; undefined for a batch, and for what is no JSON. */
export function argumentsOf(bodyText: string): string | undefined {
  try {
    JSON.parse(bodyText);
  } catch {
    return undefined;
  }
  const params = rawMember(bodyText, "params");
  return params === undefined ? undefined : rawMember(params, "arguments");
}
