import type { Group } from "./program.ts";

export const skillGroup: Group = {
  title: "Agents",
  says: { skill: "What agents are told of this library" },
  commands: [
    {
      usage: "skill install",
      summary: "Teach a coding agent /loop: list the library's workflows and run one",
      options: [
        { flags: "--to <folder>", says: "the agent's folder of skills (default: .claude/skills here)" },
        { flags: "--user", says: "for every project of this user: ~/.claude/skills" },
        { flags: "--force", says: "replace a skill of that name that was changed" },
      ],
      examples: ["mythos skill install", "mythos skill install --to ~/.config/agent/skills"],
      run: async (cli, given) => (await import("./skill/install.ts")).installSkill(cli, given),
    },
    {
      usage: "skill show",
      summary: "Print the skill",
      examples: ["mythos skill show", "mythos skill show > SKILL.md"],
      run: async (cli) => (await import("./skill/install.ts")).showSkill(cli),
    },
  ],
};
