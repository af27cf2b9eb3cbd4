import type { Group, OptionSpec } from "./program.ts";

const LIMIT: OptionSpec = { flags: "-n, --limit <count>", says: "how many to show (default: 25)" };
const SESSION: OptionSpec = {
  flags: "--session <id>",
  says: "the session it belongs to (also MYTHOS_SESSION)",
};
const ENQUEUE: readonly OptionSpec[] = [
  { flags: "-s, --set <name=value...>", says: "one input; may be given several times" },
  { flags: "-p, --payload <json>", says: "all inputs: JSON, @file, or - for standard input" },
  { flags: "-k, --key <key>", says: "the same key is the same work: asked twice, it runs once" },
  SESSION,
];

export const runGroup: Group = {
  title: "Run",
  says: { queue: "What waits to be run", runs: "Runs: what each did, and why it stopped" },
  commands: [
    {
      usage: "loops",
      summary: "The commands that can be run now, and what they take",
      options: [{ flags: "-a, --all", says: "also those that may not run" }],
      examples: ["mythos loops", "mythos loops --all --json"],
      run: async (cli, given) => (await import("./run/loops.ts")).loops(cli, given),
    },
    {
      usage: "loop <command>",
      summary: "Run a command: enqueue it, and wait for what becomes of it with --wait",
      options: [...ENQUEUE, { flags: "-w, --wait [time]", says: "until it is done or held (default: 10m)" }],
      examples: [
        'mythos loop draft-memo --set topic="What is a lane?" --wait',
        "mythos loop triage --payload @mail.json --key mail-118 --wait=2m",
      ],
      run: async (cli, given) => (await import("./run/loop.ts")).loop(cli, given),
    },
    {
      usage: "enqueue <command>",
      summary: "Enqueue a command and do not wait",
      options: ENQUEUE,
      examples: [
        'mythos enqueue draft-memo --set topic="What is a lane?"',
        "jq -c . brief.json | mythos enqueue draft-memo --payload -",
      ],
      run: async (cli, given) => (await import("./run/loop.ts")).enqueue(cli, given),
    },
    {
      usage: "queue list",
      summary: "Items of the queue, by workflow and state",
      options: [
        { flags: "--workflow <command>", says: "only this workflow's" },
        {
          flags: "--status <status>",
          says: "only in this state",
          choices: ["pending", "claimed", "done", "failed", "cancelled"],
        },
        LIMIT,
      ],
      examples: ["mythos queue list --status pending", "mythos queue list --workflow draft-memo --json"],
      run: async (cli, given) => (await import("./run/queue.ts")).listQueue(cli, given),
    },
    {
      usage: "queue show <item>",
      summary: "One item: its payload, its state and its run",
      examples: ["mythos queue show item_…", "mythos queue show item_… --json"],
      run: async (cli, given) => (await import("./run/queue.ts")).showItem(cli, given),
    },
    {
      usage: "queue retry <item>",
      summary: "Put an item that has ended in its queue again; asked twice, it goes once",
      options: [SESSION],
      examples: ["mythos queue retry item_…", "mythos queue retry item_… --json"],
      run: async (cli, given) => (await import("./run/again.ts")).retryItem(cli, given),
    },
    {
      usage: "queue drop <item>",
      summary: "Take an item that waits out of its queue",
      examples: ["mythos queue drop item_…", "mythos queue drop item_… --yes"],
      run: async (cli, given) => (await import("./run/again.ts")).dropItem(cli, given),
    },
    {
      usage: "pass",
      summary:
        "One round now: resume what was decided, fire what is due, start what waits, recover what went quiet",
      examples: ["mythos pass", "MYTHOS_INTERNAL_KEY=… mythos pass --json"],
      run: async (cli) => (await import("./run/pass.ts")).runPass(cli),
    },
    {
      usage: "runs list",
      summary: "Runs, newest first",
      options: [
        { flags: "--workflow <command>", says: "only this workflow's" },
        { flags: "--status <status>", says: "only in this state" },
        LIMIT,
      ],
      examples: ["mythos runs list", "mythos runs list --status failed --json"],
      run: async (cli, given) => (await import("./run/runs.ts")).listRuns(cli, given),
    },
    {
      usage: "runs show <run>",
      summary: "One run: its steps, what each saw, what it cost and why it stopped",
      examples: ["mythos runs show run_…", "mythos runs show run_… --json"],
      run: async (cli, given) => (await import("./run/runs.ts")).showRun(cli, given),
    },
    {
      usage: "runs watch <run>",
      summary: "A line for each change, until the run is done, held or stopped",
      options: [
        { flags: "--jsonl", says: "one JSON document a line" },
        { flags: "-w, --wait <time>", says: "how long (default: 10m)" },
      ],
      examples: ["mythos runs watch run_…", "mythos runs watch run_… --jsonl --wait 1h"],
      run: async (cli, given) => (await import("./run/runs.ts")).watchRun(cli, given),
    },
    {
      usage: "runs cancel <run>",
      summary: "Stop a run; what it has not landed, it will not land",
      examples: ["mythos runs cancel run_…", "mythos runs cancel run_… --yes"],
      run: async (cli, given) => (await import("./run/runs.ts")).cancelRun(cli, given),
    },
    {
      usage: "runs rerun <run>",
      summary: "Do the work of a run that has ended again, from the beginning, as a new run",
      options: [SESSION],
      examples: ["mythos runs rerun run_…", "mythos runs rerun run_… --yes --json"],
      run: async (cli, given) => (await import("./run/again.ts")).rerunRun(cli, given),
    },
    {
      usage: "runs fork <run>",
      summary: "A new run that keeps the steps before one, and asks no model for them",
      options: [{ flags: "--from <step>", says: "the first step that is done anew" }, SESSION],
      examples: ["mythos runs fork run_… --from revise", "mythos runs fork run_… --from publish --json"],
      run: async (cli, given) => (await import("./run/again.ts")).forkRun(cli, given),
    },
    {
      usage: "runs log <run>",
      summary: "One run as a log: its steps with each attempt, its hold, its decision and its end",
      examples: ["mythos runs log run_…", "mythos runs log run_… --json"],
      run: async (cli, given) => (await import("./run/run-log.ts")).logRun(cli, given),
    },
  ],
};
