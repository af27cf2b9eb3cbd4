import type { Group, OptionSpec } from "./program.ts";

const LIMIT: OptionSpec = { flags: "-n, --limit <count>", says: "how many to show" };

export const libraryGroup: Group = {
  title: "Library",
  says: { memos: "The memos of the library; a memo is named by its id or its title" },
  commands: [
    {
      usage: "memos list",
      summary: "Memos, newest change first",
      options: [
        { flags: "--tag <tag...>", says: "only with this tag" },
        { flags: "--type <type>", says: "only notes or workflows", choices: ["note", "workflow"] },
        LIMIT,
      ],
      examples: ["mythos memos list --tag draft", "mythos memos list --type workflow --json"],
      run: async (cli, given) => (await import("./library/memos.ts")).listMemos(cli, given),
    },
    {
      usage: "memos show <memo>",
      summary: "A memo's text",
      options: [{ flags: "--at <version>", says: "as it was at this version" }],
      examples: ['mythos memos show "House style"', "mythos memos show memo_… --json"],
      run: async (cli, given) => (await import("./library/memos.ts")).showMemo(cli, given),
    },
    {
      usage: "memos search <query...>",
      summary: "Memos by words, tags and age",
      options: [LIMIT],
      examples: [
        "mythos memos search compare and set",
        'mythos memos search "tag:draft -tag:old updated:7d queue"',
      ],
      run: async (cli, given) => (await import("./library/memos.ts")).searchMemos(cli, given),
    },
    {
      usage: "memos write [memo]",
      summary: "Make a memo, or change one, from standard input",
      options: [
        { flags: "-t, --title <title>", says: "its title; a new memo needs one" },
        { flags: "--tag <tag...>", says: "its tags, in place of those it has" },
        { flags: "--workflow", says: "it is a workflow" },
        { flags: "--base <version>", says: "the version that was read; another one is a conflict" },
      ],
      examples: [
        'mythos memos write --title "Queues" < queues.md',
        "mythos memos write memo_… --base 3 < queues.md",
      ],
      run: async (cli, given) => (await import("./library/write.ts")).writeMemo(cli, given),
    },
    {
      usage: "memos import <folder>",
      summary: "Bring in the Markdown files of a folder, or one file; again is an update",
      options: [{ flags: "--strict", says: "a workflow that does not compile fails too" }],
      examples: ["mythos memos import notes", "mythos memos import workflows/meeting-notes.md"],
      run: async (cli, given) => (await import("./library/import.ts")).importFolder(cli, given),
    },
    {
      usage: "memos export <folder>",
      summary: "Write every memo as a Markdown file that imports as the same memo",
      options: [
        { flags: "--tag <tag...>", says: "only with this tag" },
        { flags: "--force", says: "write over files that differ" },
      ],
      examples: ["mythos memos export backup", "mythos memos export drafts --tag draft"],
      run: async (cli, given) => (await import("./library/export.ts")).exportMemos(cli, given),
    },
    {
      usage: "memos history <memo>",
      summary: "The versions of a memo, newest first: when, by whom, by which run",
      options: [LIMIT],
      examples: ["mythos memos history Roadmap", "mythos memos history memo_… --json"],
      run: async (cli, given) => (await import("./library/versions.ts")).history(cli, given),
    },
    {
      usage: "memos diff <memo> <from> [to]",
      summary: "What changed between two versions; without the second, up to now",
      examples: ["mythos memos diff Roadmap 3", "mythos memos diff memo_… 3 5"],
      run: async (cli, given) => (await import("./library/versions.ts")).diff(cli, given),
    },
  ],
};
