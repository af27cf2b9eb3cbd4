import { causeOf } from "../../client/client.ts";

type Bridge = {
  url: string;
  key: string;
  session?: string;
  /** One message to the client, as a line. */
  answer(line: string): void;
  /** What is no message: for whoever looks at the process. */
  note(line: string): void;
};

type Message = { id?: unknown; method?: unknown; params?: Record<string, unknown> };

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** Where the newer protocol wants a part of a message again, as a header. */
const NAME_IN: Record<string, string> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};
/** A request of JSON-RPC that could not be done, through no fault of the request. */
const INTERNAL_ERROR = -32603;
const PARSE_ERROR = -32700;

/** Messages from one side, requests of the endpoint on the other; each message is on its way by itself. */
export function createBridge({ url, key, session, answer, note }: Bridge) {
  const endpoint = `${url.replace(/\/$/, "")}/mcp`;
  const underWay = new Set<Promise<void>>();
  /** What the handshake of a client of 2025 has agreed on. */
  let agreed: string | undefined;

  async function send(line: string): Promise<void> {
    const message = parsed(line);
    if (message === undefined) return fail(null, PARSE_ERROR, "the line is not JSON");
    try {
      const response = await fetch(endpoint, { method: "POST", headers: headersFor(message), body: line });
      const text = await response.text();
      const type = response.headers.get("content-type") ?? "";
      if (type.startsWith("text/event-stream")) eventsOf(text).forEach((data) => pass(message, data));
      else if (type.startsWith("application/json")) pass(message, text);
      else if (text !== "") fail(message.id, INTERNAL_ERROR, detailOf(text, response.status));
    } catch (error) {
      fail(message.id, INTERNAL_ERROR, `the host at ${url} cannot be reached: ${causeOf(error)}`);
    }
  }

  function headersFor(message: Message): Record<string, string> {
    const { method, params } = message;
    const meta = params?.["_meta"] as Record<string, unknown> | undefined;
    const version = meta?.[VERSION_KEY] ?? agreed;
    const name = typeof method === "string" ? params?.[NAME_IN[method] ?? ""] : undefined;
    return {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session && { "x-mythos-session": session }),
      ...(typeof version === "string" && method !== "initialize" && { "mcp-protocol-version": version }),
      ...(typeof method === "string" && { "mcp-method": asHeader(method) }),
      ...(typeof name === "string" && { "mcp-name": asHeader(name) }),
    };
  }

  function pass({ method }: Message, data: string): void {
    if (method === "initialize") {
      const { result } = parsed(data) as { result?: { protocolVersion?: unknown } };
      if (typeof result?.protocolVersion === "string") agreed = result.protocolVersion;
    }
    // A break between two tokens of JSON means nothing; within a string it is written as an escape.
    answer(data.trim().replaceAll(/[\r\n]+/g, " "));
  }

  function fail(id: unknown, code: number, message: string): void {
    // A notification has no answer.
    if (id === undefined) note(message);
    else answer(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  return {
    carry(line: string): void {
      const sent = send(line).finally(() => underWay.delete(sent));
      underWay.add(sent);
    },
    /** Once every message that was carried has its answer. */
    async settled(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}

function parsed(line: string): Message | undefined {
  try {
    return Object(JSON.parse(line)) as Message;
  } catch {
    return undefined;
  }
}

const eventsOf = (text: string): string[] =>
  [...text.matchAll(/^data: ?(.*)$/gm)].flatMap(([, data]) => (data ? [data] : []));

/** Of a refusal of the host what was wrong and what to do. */
function detailOf(text: string, status: number): string {
  const problem = parsed(text) as { detail?: unknown; hint?: unknown } | undefined;
  return typeof problem?.detail === "string"
    ? `${problem.detail}. ${String(problem.hint ?? "")}`.trim()
    : `the host answered ${status}`;
}

/** As it is, or in base64 as the protocol marks it: a header has ASCII alone. */
const asHeader = (value: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
