import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "../../../lib/core/errors.ts";
import type { FunctionDeclaration } from "../../topology.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import { crossOriginHeaders, isForeign, preflightAnswer } from "./cross-origin.ts";
import { answerOf, bareAnswer, problem, type Answer } from "./http-answer.ts";
import { authorizerEvent, httpEvent, type RoutedRequest } from "./http-event.ts";
import { BODY_MAX_BYTES, readBody } from "./read-body.ts";
import { createRouteTable } from "./route-table.ts";

export type Gateway = { url: string; port: number; stop(): Promise<void> };

export type GatewayOptions = {
  /** 0 takes a free one. */
  port: number;
  functions: Readonly<Record<string, Pick<FunctionDeclaration, "routes">>>;
  /** The function that finds out who is asking, on routes that want a key. */
  authorizer: string;
  host: Pick<FunctionHost, "invoke">;
  /** Whose pages may read the answers. @default nobody's */
  corsOrigins?: readonly string[];
};

/** Serves the declared routes on the loopback as an HTTP API does on AWS. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const match = createRouteTable(options.functions);
  const origins = new Set(options.corsOrigins);
  let allowedHosts: ReadonlySet<string> = new Set();

  async function answer(request: IncomingMessage, requestId: string): Promise<Answer> {
    // A page of another site reaches this port under its own name (DNS rebinding); its Host header tells.
    if (!allowedHosts.has(request.headers.host?.toLowerCase() ?? "")) return bareAnswer(403, "Forbidden");
    const preflight = preflightAnswer(origins, request);
    if (preflight) return preflight;
    const [rawPath = "/", rawQueryString = ""] = splitOnce(request.url ?? "/", "?");
    // A local server of MCP answers no page but its own, whatever key the page has found.
    if (rawPath === "/mcp" && isForeign(origins, request)) return bareAnswer(403, "Forbidden");
    const matched = match(request.method ?? "GET", rawPath);
    if (matched.found === "nothing") {
      return problem(new AppError("not_found", `nothing is at ${rawPath}`, { path: rawPath }), requestId);
    }
    if (matched.found === "path") {
      const { allowed } = matched;
      const detail = `${rawPath} takes ${allowed.join(", ")}`;
      return problem(new AppError("method_not_allowed", detail, { allowed }), requestId);
    }
    const body = await readBody(request);
    if (!Buffer.isBuffer(body)) {
      const limits = { limit: BODY_MAX_BYTES, actual: body.actual };
      const detail = `the body has ${limits.actual} bytes; at most ${limits.limit} are read`;
      return problem(new AppError("body_too_large", detail, limits), requestId);
    }
    const { target, pathParameters } = matched;
    const { functionName, route } = target;
    const at = new Date();
    return invoke(functionName, {
      request,
      route,
      rawPath,
      rawQueryString,
      pathParameters,
      body,
      requestId,
      at,
    });
  }

  async function invoke(functionName: string, routed: RoutedRequest): Promise<Answer> {
    let identity: Record<string, unknown> | undefined;
    if (routed.route.auth === "key") {
      const outcome = await options.host.invoke(options.authorizer, authorizerEvent(routed));
      if (!outcome.ok) return bareAnswer(500, "Internal Server Error");
      const verdict = JSON.parse(outcome.payload) as AuthorizerVerdict | null;
      if (verdict?.isAuthorized !== true) return bareAnswer(403, "Forbidden");
      identity = verdict.context ?? {};
    }
    const outcome = await options.host.invoke(functionName, httpEvent(routed, identity), routed.requestId);
    if (!outcome.ok) return problem(new AppError("internal", outcomeText, {}), routed.requestId);
    return answerOf(outcome.payload);
  }

  const server = createServer(async (request, response) => {
    try {
      const { headers, ...answered } = await answer(request, randomUUID());
      send(request, response, {
        ...answered,
        headers: { ...headers, ...crossOriginHeaders(origins, request) },
      });
    } catch (error) {
      // A client that left half way needs no answer.
      if (request.errored || response.destroyed) return;
      process.stderr.write(`gateway: ${error instanceof Error ? error.stack : String(error)}\n`);
      const { headers, ...failed } = bareAnswer(500, "Internal Server Error");
      send(request, response, {
        ...failed,
        headers: { ...headers, ...crossOriginHeaders(origins, request) },
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  allowedHosts = new Set(["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`));
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const patience = setTimeout(() => server.closeAllConnections(), 2000);
      await closed;
      clearTimeout(patience);
    },
  };
}

type AuthorizerVerdict = { isAuthorized?: boolean; context?: Record<string, unknown> };

const outcomeText = "the function failed; its output is in the log";

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers, cookies, body } = answer;
  response.writeHead(status, {
    ...headers,
    ...(cookies && { "set-cookie": [...cookies] }),
    // Not read to its end: the connection cannot be used again.
    ...(!request.complete && { connection: "close" }),
    ...(status !== 204 && status !== 304 && { "content-length": Buffer.byteLength(body) }),
  });
  response.end(body);
}
