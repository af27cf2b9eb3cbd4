import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const PROTOCOLS = ["bedrock", "anthropic", "openai-compatible"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** What a model says, in no provider's words. */
export type Said = {
  text?: string;
  calls?: { name: string; input: unknown }[];
  stop?: "end" | "length" | "refusal";
  /** Disjoint buckets; null for a server that does not count. */
  usage?: { input: number; cacheRead?: number; cacheWrite?: number; output: number } | null;
};

export type StubAnswer =
  | Said
  | { status: number; headers?: Record<string, string>; body: string }
  /** Ends the connection, before an answer or in the middle of it. */
  | { drop: "before" | "inside" }
  /** Never answers. */
  | { hang: true };

export type StubRequest = {
  protocol: Protocol;
  path: string;
  headers: IncomingMessage["headers"];
  text: string;
  body: Record<string, unknown>;
};

const PATHS: Record<Protocol, RegExp> = {
  bedrock: /^\/bedrock\/model\/[^/]+\/converse$/,
  anthropic: /^\/anthropic\/messages$/,
  "openai-compatible": /^\/openai-compatible\/chat\/completions$/,
};

/**
 * A server on the loopback that speaks the protocol of each provider, told by its path, and gives the answers it
 * was told to give, in their order. A request past the last one is answered 500.
 */
export async function startModelStub() {
  const requests: StubRequest[] = [];
  const left: StubAnswer[] = [];
  let serve: ((request: StubRequest) => StubAnswer | Promise<StubAnswer>) | undefined;
  let onRequest: (() => void) | undefined;

  const server = createServer((incoming, response) => {
    void (async () => {
      const request = await read(incoming);
      if (!request) return void response.writeHead(404).end();
      requests.push(request);
      onRequest?.();
      const next = (await serve?.(request)) ?? left.shift();
      give(response, request.protocol, next ?? { status: 500, body: "{}" });
    })();
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    requests,
    /** The address that config.json names for a protocol. */
    baseUrl: (protocol: Protocol) => `http://127.0.0.1:${port}/${protocol}`,
    /** Adds answers. */
    answers(...answers: StubAnswer[]) {
      left.push(...answers);
    },
    /** Answers every request from now on, as slowly as it likes. */
    serves(answer: (request: StubRequest) => StubAnswer | Promise<StubAnswer>) {
      serve = answer;
    },
    /** Forgets what it was asked and told. */
    reset() {
      requests.length = 0;
      left.length = 0;
      serve = undefined;
    },
    /** Resolves with the next request, before it is answered. */
    nextRequest: () => new Promise<void>((resolve) => (onRequest = resolve)),
    /** Ends every connection and refuses new ones. */
    async kill() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
    /** Takes connections again, at the same address. */
    revive: () => listen(port),
    async stop() {
      if (!server.listening) return;
      await this.kill();
    },
  };
}
export type ModelStub = Awaited<ReturnType<typeof startModelStub>>;

async function read(incoming: IncomingMessage): Promise<StubRequest | undefined> {
  const path = incoming.url ?? "";
  const protocol = PROTOCOLS.find((name) => PATHS[name].test(path));
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  if (!protocol) return undefined;
  return {
    protocol,
    path,
    headers: incoming.headers,
    text,
    body: JSON.parse(text) as Record<string, unknown>,
  };
}

function give(response: ServerResponse, protocol: Protocol, answer: StubAnswer): void {
  if ("hang" in answer) return;
  if ("drop" in answer) {
    if (answer.drop === "before") return void response.destroy();
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    return void response.write('{"id":"half', () => response.destroy());
  }
  if ("status" in answer) {
    const { status, headers = {}, body } = answer;
    return void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  }
  const body = JSON.stringify(ENCODE[protocol](answer));
  response.writeHead(200, { "content-type": "application/json" }).end(body);
}

const COUNTED: NonNullable<Said["usage"]> = { input: 100, output: 10 };

const ENCODE: Record<Protocol, (said: Said) => object> = {
  bedrock: ({ text, calls = [], stop = "end", usage = COUNTED }) => ({
    output: {
      message: {
        role: "assistant",
        content: [
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map(({ name, input }, index) => ({
            toolUse: { toolUseId: `call_${index}`, name, input },
          })),
        ],
      },
    },
    stopReason:
      calls.length > 0
        ? "tool_use"
        : { end: "end_turn", length: "max_tokens", refusal: "content_filtered" }[stop],
    metrics: { latencyMs: 5 },
    // The schema of Converse asks for counts; a server that does not count says nothing was used.
    usage: {
      inputTokens: usage?.input ?? 0,
      outputTokens: usage?.output ?? 0,
      totalTokens: usage ? usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) + usage.output : 0,
      cacheReadInputTokens: usage?.cacheRead ?? 0,
      cacheWriteInputTokens: usage?.cacheWrite ?? 0,
    },
  }),
  anthropic: ({ text, calls = [], stop = "end", usage = COUNTED }) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-stub",
    content: [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map(({ name, input }, index) => ({ type: "tool_use", id: `call_${index}`, name, input })),
    ],
    stop_reason:
      calls.length > 0 ? "tool_use" : { end: "end_turn", length: "max_tokens", refusal: "refusal" }[stop],
    stop_sequence: null,
    usage: {
      input_tokens: usage?.input ?? 0,
      cache_read_input_tokens: usage?.cacheRead ?? 0,
      cache_creation_input_tokens: usage?.cacheWrite ?? 0,
      output_tokens: usage?.output ?? 0,
    },
  }),
  "openai-compatible": ({ text, calls = [], stop = "end", usage = COUNTED }) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-stub",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: stop === "refusal" ? null : (text ?? null),
          ...(stop === "refusal" && { refusal: text ?? "No." }),
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ name, input }, index) => ({
              id: `call_${index}`,
              type: "function",
              function: { name, arguments: JSON.stringify(input) },
            })),
          }),
        },
        finish_reason:
          calls.length > 0 ? "tool_calls" : { end: "stop", length: "length", refusal: "stop" }[stop],
      },
    ],
    // Here the cached tokens are a part of the prompt's.
    ...(usage && {
      usage: {
        prompt_tokens: usage.input + (usage.cacheRead ?? 0),
        completion_tokens: usage.output,
        total_tokens: usage.input + (usage.cacheRead ?? 0) + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      },
    }),
  }),
};
