import type { Group } from "./program.ts";

export const decideGroup: Group = {
  title: "Decide",
  says: { holds: "What waits for a person" },
  commands: [
    {
      usage: "holds list",
      summary: "What waits for a decision, oldest first",
      options: [
        {
          flags: "--state <state>",
          says: "those you have not snoozed, those you have, or both (default: open)",
          choices: ["open", "snoozed", "all"],
        },
        { flags: "--workflow <command>", says: "only this workflow's" },
        { flags: "--sort <order>", says: "what is shown first (default: age)", choices: ["age", "expiry"] },
        { flags: "-n, --limit <count>", says: "how many to show (default: 25)" },
      ],
      examples: ["mythos holds list", "mythos holds list --workflow draft-memo --sort expiry --json"],
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
      usage: "holds reject <hold...>",
      summary: "Throw the proposals away; their runs are cancelled",
      options: [
        { flags: "-m, --message <text>", says: "why; it stands on the record" },
        { flags: "--hash <sha256>", says: "of the proposal that was read" },
      ],
      examples: [
        'mythos holds reject hold_… -m "the date is wrong"',
        'mythos holds reject hold_… hold_… -m "not needed"',
      ],
      run: async (cli, given) => (await import("./decide/decision.ts")).reject(cli, given),
    },
    {
      usage: "holds snooze <hold>",
      summary: "Hide a hold from your list for a while; it expires when it would have",
      options: [
        { flags: "--for <time>", says: "how long, such as 12h or 3d" },
        { flags: "--until <time>", says: "until when, as an ISO time with its zone" },
      ],
      examples: [
        "mythos holds snooze hold_… --for 3d",
        "mythos holds snooze hold_… --until 2027-01-31T09:00:00Z",
      ],
      run: async (cli, given) => (await import("./decide/inbox.ts")).snooze(cli, given),
    },
    {
      usage: "holds unsnooze <hold>",
      summary: "Show a snoozed hold in your list again",
      examples: ["mythos holds unsnooze hold_…", "mythos holds unsnooze hold_… --json"],
      run: async (cli, given) => (await import("./decide/inbox.ts")).unsnooze(cli, given),
    },
  ],
};
