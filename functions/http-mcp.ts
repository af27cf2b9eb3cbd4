import { callTool } from "../lib/agent-tools/call-tool.ts";
import { WAIT_MAX_SECONDS } from "../lib/agent-tools/wait.ts";
import { AppError } from "../lib/core/errors.ts";
import { SESSION_HEADER } from "../lib/sessions/session.ts";
import { answerFor, argumentsOf, requestFor } from "./mcp-request.ts";
import { serveMcp } from "./mcp-server.ts";
import { mcpDepsOf, type McpDeps } from "./mcp-wiring.ts";
import { httpHandler } from "./middleware/http-handler.ts";
import { openRoute, route } from "./middleware/route.ts";
import { wired } from "./wiring.ts";

/** Far above any payload or memo that a model writes. */
const BODY_MAX_BYTES = 1024 * 1024;

const onlyPosts = openRoute({
  async run() {
    const message = "/mcp takes POST: it has no streams and no sessions of its own";
    throw new AppError("method_not_allowed", message, { allowed: ["POST"] });
  },
});

/** The tools of agents over MCP, both eras of the protocol, without state. */
export function createHandler(deps: McpDeps) {
  return httpHandler(deps, {
    "GET /mcp": onlyPosts,
    "DELETE /mcp": onlyPosts,
    "POST /mcp": route({
      scope: null,
      isEnvelope: true,
      maxBodyBytes: BODY_MAX_BYTES,
      async run({ principal, bodyText, header, requestId, at }) {
        const argumentsText = argumentsOf(bodyText);
        const session = header(SESSION_HEADER)?.trim();
        let calls = 0;
        const response = await serveMcp(requestFor(header, bodyText), (tool, given) => {
          const nth = calls++;
          return callTool(deps.tools, tool, {
            principal,
            arguments: given,
            ...(argumentsText !== undefined && { argumentsText }),
            ...(session && { session }),
            requestId: nth === 0 ? requestId : `${requestId}.${nth}`,
            at,
            waitUntil: at + WAIT_MAX_SECONDS * 1000,
          });
        });
        return { ...(await answerFor(header, response)), ...(calls > 0 && { isRecorded: true }) };
      },
    }),
  });
}

export const handler = wired(createHandler, mcpDepsOf);
