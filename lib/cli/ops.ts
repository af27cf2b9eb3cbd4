import type { Group } from "./program.ts";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

const QUEUE = { flags: "--queue <queue>", says: "only this queue's", choices: ["run", "wake"] };

export const opsGroup: Group = {
  title: "Operate",
  says: {
    passes: "What the rounds did",
    keys: "Who may call, and with which scopes",
    "dead-letters": "Doorbells that were delivered too often",
  },
  commands: [
    {
      usage: "passes list",
      summary: "Rounds that did something, newest first; quiet ones leave no report",
      options: [{ flags: "-n, --limit <count>", says: "how many to show (default: 25)" }],
      examples: ["mythos passes list", "mythos passes list --limit 100 --json"],
      run: async (cli, given) => (await import("./ops/passes.ts")).listPasses(cli, given),
    },
    {
      usage: "passes show <pass>",
      summary: "One round: everything that it counted",
      examples: ["mythos passes show pass_…", "mythos passes show pass_… --json"],
      run: async (cli, given) => (await import("./ops/passes.ts")).showPass(cli, given),
    },
    {
      usage: "passes tail",
      summary: "The newest reports and then each new one, until it is interrupted",
      options: [
        { flags: "--jsonl", says: "one JSON document a line" },
        { flags: "-n, --limit <count>", says: "how many of those that are there (default: 10)" },
      ],
      examples: ["mythos passes tail", "mythos passes tail --jsonl --limit 1"],
      run: async (cli, given) => (await import("./ops/passes.ts")).tailPasses(cli, given),
    },
    {
      usage: "audit",
      summary: "What was asked for, by whom, and what was refused, newest first",
      options: [
        { flags: "--since <time>", says: "a day, an ISO time, or how long ago: 7d" },
        { flags: "-n, --limit <count>", says: "how many to show (default: 25)" },
      ],
      examples: ["mythos audit --since 7d", "mythos audit --limit 100 --json"],
      run: async (cli, given) => (await import("./ops/audit.ts")).listAudit(cli, given),
    },
    {
      usage: "notices",
      summary: "Holds that still wait or have expired, and runs that failed, newest first",
      options: [
        {
          flags: "--state <state>",
          says: "those that are new, those that were read, or both (default: unread)",
          choices: ["unread", "read", "all"],
        },
        { flags: "--read <notice...>", says: "mark these as read instead" },
        { flags: "-n, --limit <count>", says: "how many to show (default: 25)" },
      ],
      examples: ["mythos notices --state all --json", "mythos notices --read notice_…"],
      run: async (cli, given) => (await import("./ops/notices.ts")).notices(cli, given),
    },
    {
      usage: "dead-letters list",
      summary: "Doorbells that were given up: of which run, how old, how often delivered",
      options: [QUEUE],
      examples: ["mythos dead-letters list", "mythos dead-letters list --queue run --json"],
      run: async (cli, given) => (await import("./ops/dead-letters.ts")).listDeadLetters(cli, given),
    },
    {
      usage: "dead-letters redrive",
      summary: "Ring them again; one that is doubled by it does nothing twice",
      options: [QUEUE, { flags: "--max <count>", says: "most for each queue, up to 100 (default: 10)" }],
      examples: ["mythos dead-letters redrive", "mythos dead-letters redrive --queue run --max 100"],
      run: async (cli, given) => (await import("./ops/dead-letters.ts")).redrive(cli, given),
    },
    {
      usage: "cost",
      summary: "What calls of models used and cost, in whole days of UTC",
      options: [
        {
          flags: "--by <what>",
          says: "a line for each workflow, day, session or model (default: workflow)",
          choices: ["workflow", "day", "session", "model"],
        },
        { flags: "--since <days>", says: "how far back, today included, at most 92d (default: 7d)" },
      ],
      examples: ["mythos cost", "mythos cost --by model --since 30d --json"],
      run: async (cli, given) => (await import("./ops/cost.ts")).showCost(cli, given),
    },
    {
      usage: "keys create <label>",
      summary: "Make a key for an agent, or one of your own; it is printed once, alone",
      options: [
        { flags: "--scope <scope...>", says: "what it may do, of what your own key may" },
        { flags: "--kind <kind>", says: "whose it is (default: agent)", choices: ["agent", "human"] },
        { flags: "--username <name>", says: "whom requests of this agent name (default: you)" },
        {
          flags: "--bootstrap",
          says: "with --target aws: a person's first key, by the account's credentials",
        },
        { flags: "--owner <name>", says: "with --bootstrap: whose library it opens (default: owner)" },
        { flags: "--stage <name>", says: "with --bootstrap: which deployment (default: prod)" },
        { flags: "--pepper-parameter <name>", says: "with --bootstrap: as -c pepperParameter was deployed" },
      ],
      examples: [
        "mythos keys create nightly --scope items:enqueue runs:read sessions:write",
        "mythos keys create laptop --bootstrap --target aws --owner ana > key",
      ],
      run: async (cli, given) => (await import("./ops/keys.ts")).createKey(cli, given),
    },
    {
      usage: "keys list",
      summary: "Your keys: what they may do, when they were used, which are revoked",
      options: [{ flags: "-n, --limit <count>", says: "how many to show (default: 100)" }],
      examples: ["mythos keys list", "mythos keys list --json"],
      run: async (cli, given) => (await import("./ops/keys.ts")).listKeys(cli, given),
    },
    {
      usage: "keys revoke <key...>",
      summary: "Take keys back, at once and for good",
      options: [{ flags: "--self", says: "also the key that this command signs in with" }],
      examples: ["mythos keys revoke key_…", "mythos keys revoke key_… --self"],
      run: async (cli, given) => (await import("./ops/keys.ts")).revokeKeys(cli, given),
    },
    {
      usage: "page",
      summary: "A link that signs you in to the steward's pages, once",
      examples: ["mythos page", "mythos page --json"],
      run: async (cli, given) => (await import("./ops/page.ts")).signInLink(cli, given),
    },
    {
      usage: "doctor",
      summary: "Check this machine, the host, the keys, the clock, the configuration and the workflows",
      options: [
        { flags: "--probe", says: "ask each configured model for one token, which may cost money" },
        { flags: "--smoke", says: "take one item through a hold and an approval, then remove what was made" },
        { flags: "--stage <name>", says: "with --target aws: which deployment (default: prod)" },
        { flags: "--pepper-parameter <name>", says: "with --target aws: as -c pepperParameter was deployed" },
      ],
      examples: ["mythos doctor --probe", "mythos doctor --target aws --smoke"],
      run: async (cli, given) => (await import("./ops/doctor.ts")).doctor(cli, given),
    },
    {
      usage: "completion <shell>",
      summary: "Print a script that completes commands and options in your shell",
      examples: [
        "source <(mythos completion bash)",
        "mythos completion fish > ~/.config/fish/completions/mythos.fish",
      ],
      run: async (cli, given) => (await import("./ops/completion.ts")).completion(cli, given),
    },
  ],
};
