import type { Group } from "./program.ts";

export const mcpGroup: Group = {
  title: "Agents",
  commands: [
    {
      usage: "mcp",
      summary: "Serve the host's tools to an MCP client that starts a command",
      options: [
        { flags: "--stdio", says: "messages come on standard input and are answered on standard output" },
        { flags: "--session <id>", says: "the session that calls belong to (also MYTHOS_SESSION)" },
      ],
      examples: ["mythos mcp --stdio", "MYTHOS_URL=https://… MYTHOS_KEY=… mythos mcp --stdio"],
      run: async (cli, given) => (await import("./mcp/serve-stdio.ts")).serveStdio(cli, given),
    },
  ],
};
