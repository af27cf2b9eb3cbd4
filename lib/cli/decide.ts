import type { Group, OptionSpec } from "./program.ts";

const HASH: OptionSpec = { flags: "--hash <sha256>", says: "of what was read; needed without a terminal" };
const NOTE: OptionSpec = { flags: "-m, --message <text>", says: "a note for the record" };
const WAIT: OptionSpec = {
  flags: "-w, --wait [time]",
  says: "until it has landed or waits again (default: 1m)",
};
const FILE: OptionSpec = { flags: "-f, --file <path>", says: "your text; - is standard input" };
const VERSION: OptionSpec = { flags: "--on-version <version>", says: "of the memo, as it was read" };

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
      usage: "holds edit <hold>",
      summary: "Approve a text of your own instead: from a file, or in $EDITOR",
      options: [FILE, { flags: "--title <title>", says: "of a new memo" }, HASH, NOTE, WAIT],
      examples: ["mythos holds edit hold_…", "mythos holds edit hold_… --file draft.md --hash sha256:…"],
      run: async (cli, given) => (await import("./decide/other-verdicts.ts")).edit(cli, given),
    },
    {
      usage: "holds request-changes <hold>",
      summary: "Send the draft back: it is written again, with your reason",
      options: [
        { flags: "-m, --message <text>", says: "what is to be changed; the model is told" },
        HASH,
        WAIT,
      ],
      examples: [
        'mythos holds request-changes hold_… -m "cut it to 200 words"',
        'mythos holds request-changes hold_… -m "name the date" --wait',
      ],
      run: async (cli, given) => (await import("./decide/decision.ts")).requestChanges(cli, given),
    },
    {
      usage: "holds allow <hold>",
      summary: "Let a step pass its budget once",
      options: [HASH, NOTE, WAIT],
      examples: ["mythos holds allow hold_…", "mythos holds allow hold_… --hash sha256:… --wait"],
      run: async (cli, given) => (await import("./decide/other-verdicts.ts")).allow(cli, given),
    },
    {
      usage: "holds rebase <hold>",
      summary: "Land a draft on what is in its memo now, merged",
      options: [FILE, VERSION, HASH, NOTE, WAIT],
      examples: [
        "mythos holds rebase hold_…",
        "mythos holds rebase hold_… --file merged.md --on-version 15 --hash sha256:…",
      ],
      run: async (cli, given) => (await import("./decide/other-verdicts.ts")).rebase(cli, given),
    },
    {
      usage: "holds replace <hold>",
      summary: "Land a whole draft in place of what is in its memo now",
      options: [VERSION, HASH, NOTE, WAIT],
      examples: [
        "mythos holds replace hold_…",
        "mythos holds replace hold_… --on-version 15 --hash sha256:…",
      ],
      run: async (cli, given) => (await import("./decide/other-verdicts.ts")).replace(cli, given),
    },
    {
      usage: "holds keep-both <hold>",
      summary: "Make a memo of its own from a draft that lost to an edit",
      options: [HASH, NOTE, WAIT],
      examples: ["mythos holds keep-both hold_…", "mythos holds keep-both hold_… --hash sha256:… --wait"],
      run: async (cli, given) => (await import("./decide/other-verdicts.ts")).keepBoth(cli, given),
    },
    {
      usage: "holds take-back <hold>",
      summary: "Take your approval back, as long as nothing was written for it",
      examples: ["mythos holds take-back hold_…", "mythos holds take-back hold_… --json"],
      run: async (cli, given) => (await import("./decide/other-verdicts.ts")).takeBack(cli, given),
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
