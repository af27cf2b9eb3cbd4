import type { Group } from "./program.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export const opsGroup: Group = {
  title: "Operate",
  says: { passes: "What the rounds did" },
  commands: [
    {
      usage: "passes list",
      summary: "Rounds that did something, newest first; quiet ones leave no report",
      options: [{ flags: "-n, --limit <count>", says: "how many to show (default: 25)" }],
      examples: ["mythos passes list", "mythos passes list --limit 100 --json"],
      run: async (cli, given) => (await import("./ops/passes.ts")).listPasses(cli, given),
    },
    {
      usage: "doctor",
      summary: "Check this machine, the host, the keys, the clock, the configuration and the workflows",
      examples: ["mythos doctor", "mythos doctor --json"],
      run: async (cli) => (await import("./ops/doctor.ts")).doctor(cli),
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
