import type { Group } from "./program.ts";

export const sessionsGroup: Group = {
  title: "Sessions",
  says: { sessions: "Who is at work: tracking, never access" },
  commands: [
    {
      usage: "sessions list",
      summary: "Sessions, latest active first",
      options: [{ flags: "-n, --limit <count>", says: "how many to show (default: 25)" }],
      examples: ["mythos sessions list", "mythos sessions list --json"],
      run: async (cli, given) => (await import("./sessions/sessions.ts")).listSessions(cli, given),
    },
    {
      usage: "sessions show <session>",
      summary: "One session and what it did",
      examples: ["mythos sessions show ses_…", "mythos sessions show ses_… --json"],
      run: async (cli, given) => (await import("./sessions/sessions.ts")).showSession(cli, given),
    },
    {
      usage: "sessions start",
      summary: "Start a session; prints its id",
      options: [
        { flags: "--purpose <text>", says: "what it is for" },
        { flags: "--name <name>", says: "what it is called (default: cli)" },
      ],
      examples: [
        'mythos sessions start --purpose "Plan the roadmap"',
        'export MYTHOS_SESSION=$(mythos sessions start --purpose "Triage")',
      ],
      run: async (cli, given) => (await import("./sessions/sessions.ts")).startSession(cli, given),
    },
    {
      usage: "sessions end <session>",
      summary: "End a session",
      examples: ["mythos sessions end ses_…", 'mythos sessions end "$MYTHOS_SESSION"'],
      run: async (cli, given) => (await import("./sessions/sessions.ts")).endSession(cli, given),
    },
    {
      usage: "steward",
      summary: "Look at every live session: which work, which are stuck, and which may be ended",
      options: [
        { flags: "--apply", says: "end and flag within its bounds; a dry run without it" },
        { flags: "--idle-minutes <minutes>", says: "idle for so long before it is looked at (default: 30)" },
        { flags: "--min-confidence <share>", says: "a verdict below changes nothing (default: 0.8)" },
        { flags: "--ask", says: "ask unclear sessions themselves; takes up to three minutes" },
        { flags: "--report <file>", says: "write the report, as Markdown" },
        { flags: "--schedule <state>", says: "the hourly pass: show, on or off" },
      ],
      examples: ["mythos steward", "mythos steward --apply --report sessions.md"],
      run: async (cli, given) => (await import("./sessions/steward.ts")).steward(cli, given),
    },
    {
      usage: "sessions hook",
      summary: "Tell a coding agent's event, read from standard input (see docs/agent-hooks.md)",
      examples: [
        "mythos sessions hook < event.json",
        `echo '{"session_id":"a1","hook_event_name":"Stop"}' | mythos sessions hook`,
      ],
      run: async (cli) => (await import("./sessions/hook.ts")).tellHook(cli),
    },
  ],
};
