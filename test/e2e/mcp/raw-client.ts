import type { Host } from "../../../infra/local/host.ts";

export type RpcAnswer = {
  status: number;
  type: string;
  allow: string | null;
  body: {
    id?: unknown;
    result?: Record<string, unknown>;
    error?: { code: number; message: string };
    code?: string;
    hint?: string;
  };
};

export type ToolResult = {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
};

/** A client of the 2025 era that knows no library: what it sends is what stands here. */
export function rawClient(host: Pick<Host, "url">, key: string, headers: Record<string, string> = {}) {
  let lastId = 0;

  async function post(body: string, more: Record<string, string> = {}): Promise<RpcAnswer> {
    const answer = await fetch(`${host.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
        ...more,
      },
      body,
    });
    const text = await answer.text();
    const type = answer.headers.get("content-type") ?? "";
    const data = type.startsWith("text/event-stream") ? /^data: ?(.*)$/m.exec(text)?.[1] : text;
    const allow = answer.headers.get("allow");
    return { status: answer.status, type, allow, body: data ? (JSON.parse(data) as RpcAnswer["body"]) : {} };
  }

  const send = (method: string, params?: unknown, more?: Record<string, string>) =>
    post(
      JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, ...(params !== undefined && { params }) }),
      more,
    );

  return {
    post,
    send,
    notify: (method: string) => post(JSON.stringify({ jsonrpc: "2.0", method })),
    async initialize(): Promise<Record<string, unknown>> {
      const answer = await send("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "raw", version: "1" },
      });
      return answer.body.result ?? {};
    },
    async call(name: string, given: Record<string, unknown> = {}): Promise<ToolResult> {
      const answer = await send(
        "tools/call",
        { name, arguments: given },
        { "mcp-protocol-version": "2025-06-18" },
      );
      if (!answer.body.result) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
      return answer.body.result as ToolResult;
    },
  };
}
export type RawClient = ReturnType<typeof rawClient>;
