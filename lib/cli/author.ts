import type { Group } from "./program.ts";

export const TEMPLATES = ["draft", "digest", "triage", "research", "steward", "extract"] as const;
export const FORMATS = ["pretty", "json", "github", "sarif"] as const;

const ONLINE = { flags: "--online", says: "look memos, models and commands up in the library of the host" };

/** Writing workflows: everything but `--online` and `preview` works without a host. */
export const authorGroup: Group = {
  title: "Author",
  commands: [
    {
      usage: "new <command>",
      summary: "Write a new workflow file from a template",
      options: [
        { flags: "-t, --template <name>", says: "what it does (default: draft)", choices: TEMPLATES },
        { flags: "--dir <folder>", says: "where to write it (default: here)" },
      ],
      examples: ["mythos new /meeting-notes", "mythos new /weekly --template digest --dir workflows"],
      run: async (cli, given) => (await import("./author/new.ts")).newWorkflow(cli, given),
    },
    {
      usage: "check <files...>",
      summary: "Say what is wrong in workflow files, and what to write instead",
      options: [
        { flags: "-f, --format <format>", says: "form of the answer (default: pretty)", choices: FORMATS },
        { flags: "--strict", says: "warnings fail too" },
        { flags: "--watch", says: "check again whenever a file changes" },
        ONLINE,
      ],
      examples: ["mythos check workflows", "mythos check workflows --strict --format sarif > check.sarif"],
      run: async (cli, given) => (await import("./author/check.ts")).check(cli, given),
    },
    {
      usage: "compile <file>",
      summary: "Print the manifest that a workflow compiles to",
      options: [
        { flags: "--explain", says: "say in words what is read, what loads when, and what it may cost" },
        ONLINE,
      ],
      examples: [
        "mythos compile workflows/draft-memo.md --explain",
        "mythos compile workflows/draft-memo.md --online",
      ],
      run: async (cli, given) => (await import("./author/compile.ts")).compile(cli, given),
    },
    {
      usage: "schema [file]",
      summary: "Print the JSON Schema of a manifest, or of the payload that a workflow takes",
      examples: ["mythos schema > manifest.schema.json", "mythos schema workflows/draft-memo.md"],
      run: async (cli, given) => (await import("./author/schema.ts")).schema(cli, given),
    },
    {
      usage: "preview <file-or-command>",
      summary: "Show the exact prompts of a workflow; no model is called",
      options: [
        {
          flags: "-p, --payload <json>",
          says: "the payload: JSON, @file, or - for standard input (default: {})",
        },
      ],
      examples: [
        `mythos preview workflows/draft-memo.md --payload '{"topic":"Queues"}'`,
        "mythos preview draft-memo --payload @brief.json",
      ],
      run: async (cli, given) => (await import("./author/preview.ts")).preview(cli, given),
    },
    {
      usage: "fmt <files...>",
      summary: "Put sections and keys in order; the manifest stays the same",
      options: [{ flags: "-w, --write", says: "change the files instead of printing" }],
      examples: ["mythos fmt workflows/draft-memo.md", "mythos fmt workflows/*.md --write"],
      run: async (cli, given) => (await import("./author/fmt.ts")).fmt(cli, given),
    },
    {
      usage: "explain [code]",
      summary: "Explain a diagnostic by its code, with an example that is wrong and one that is right",
      examples: ["mythos explain MW401", "mythos explain"],
      run: async (cli, given) => (await import("./author/explain.ts")).explain(cli, given),
    },
  ],
};
