import type { Group } from "./program.ts";

export const decideGroup: Group = {
  title: "Decide",
  says: { holds: "What waits for a person" },
  commands: [
    {
      usage: "holds list",
      summary: "What waits for a decision, oldest first",
      options: [{ flags: "-n, --limit <count>", says: "how many to show (default: 25)" }],
      examples: ["mythos holds list", "mythos holds list --json"],
      run: async (cli, given) => (await import("./decide/holds.ts")).listHolds(cli, given),
    },
    {
      usage: "holds show <hold>",
      summary: "What would be written, where, and what it was made from",
      options: [{ flags: "-d, --diff", says: "against what is there now" }],
      examples: ["mythos holds show hold_…", "mythos holds show hold_… --diff"],
      run: async (cli, given) => (await import("./decide/holds.ts")).showHold(cli, given),
    },
    {
      usage: "holds approve <hold>",
      summary: "Let exactly these bytes land; without a terminal --hash names them",
      options: [
        { flags: "--hash <sha256>", says: "of the proposal that was read" },
        { flags: "-m, --message <text>", says: "a note for the record" },
        { flags: "-w, --wait [time]", says: "until it has landed (default: 1m)" },
      ],
      examples: ["mythos holds approve hold_…", "mythos holds approve hold_… --hash sha256:… --wait"],
      run: async (cli, given) => (await import("./decide/decision.ts")).approve(cli, given),
    },
    {
      usage: "holds reject <hold>",
      summary: "Throw the proposal away; the run is cancelled",
      options: [
        { flags: "-m, --message <text>", says: "why; it stands on the record" },
        { flags: "--hash <sha256>", says: "of the proposal that was read" },
      ],
      examples: [
        'mythos holds reject hold_… -m "the date is wrong"',
        'mythos holds reject hold_… -m "not needed" --hash sha256:…',
      ],
      run: async (cli, given) => (await import("./decide/decision.ts")).reject(cli, given),
    },
  ],
};
