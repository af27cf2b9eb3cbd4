import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import { AGENT_TOOLS, agentToolOf, INSTRUCTIONS } from "../lib/agent-tools/agent-tools.ts";
import type { ToolAnswer } from "../lib/agent-tools/call-tool.ts";
import type { AgentTool } from "../lib/agent-tools/agent-tool.ts";
import { LISTED_TOOLS } from "../lib/agent-tools/listed-tool.ts";
import packageJson from "../package.json" with { type: "json" };

/** Calls a tool as the request's caller. */
export type CallTool = (tool: AgentTool, given: unknown) => Promise<ToolAnswer>;

/** How long a client may keep the list of tools; it changes with releases only. */
const LIST_TTL_MS = 10 * 60 * 1000;

/** Texts are checked by the tools' own schemas; the SDK's validator would be made anew for each request. */
const NO_VALIDATOR = {
  getValidator() {
    throw new Error("schemas are checked by the tools");
  },
};

/** Serves one request of either era of the protocol, with a server that knows nothing of another one. */
export const serveMcp = (request: Request, callTool: CallTool): Promise<Response> =>
  createMcpHandler(() => serverOf(callTool), {
    // The answer is sent as a whole: nothing keeps a stream alive, and there is none to subscribe to.
    keepAliveMs: 0,
    maxSubscriptions: 0,
  }).fetch(request);

function serverOf(callTool: CallTool): Server {
  const server = new Server(
    { name: "mythos-loops", title: "Mythos Loops", version: packageJson.version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS, cacheScope: "private" } },
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...LISTED_TOOLS] }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = agentToolOf(params.name);
    if (!tool) {
      const names = AGENT_TOOLS.map(({ name }) => name).join(", ");
      const message = `There is no tool ${params.name.slice(0, 60)}. The tools are ${names}.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    return resultOf(await callTool(tool, params.arguments));
  });
  return server;
}

const resultOf = (answer: ToolAnswer): CallToolResult =>
  answer.ok
    ? { content: [{ type: "text", text: answer.says }], structuredContent: answer.value }
    : { content: [{ type: "text", text: answer.refusal.text }], isError: true };
