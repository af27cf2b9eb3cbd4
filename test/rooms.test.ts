import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * Who may import whom: a room of `lib` names every other room it may use; what is not listed is forbidden. Rooms
 * stand in order, and none imports one below it.
 */
const LIB_ROOMS: Record<string, readonly string[]> = {
  core: [],
  sessions: ["core"],
  memos: ["core"],
  queue: ["core"],
  model: ["core"],
  spend: ["core"],
  audit: ["core"],
  notices: ["core"],
  snoozes: ["core"],
  edges: ["core"],
  "api-keys": ["core", "audit"],
  "page-sessions": ["core", "api-keys", "audit"],
  "rate-limits": ["core"],
  repeats: ["core"],
  workflows: ["core"],
  // The second front end: the same manifest from a file that comes with the project.
  "workflow-files": ["core", "workflows"],
  // A workflow that comes with the project, its tools and its transforms.
  "library-review": ["core", "memos", "workflow-files"],
  holds: ["core"],
  dispatch: ["core", "workflows", "memos", "holds", "sessions"],
  tools: ["core", "memos"],
  // Spend: an enqueue says that the day's budget is used up.
  intake: ["core", "workflows", "workflow-files", "memos", "queue", "sessions", "spend"],
  loops: ["core", "intake", "sessions"],
  runs: [
    "core",
    "workflows",
    "workflow-files",
    "memos",
    "queue",
    "holds",
    "model",
    "spend",
    "audit",
    "notices",
    "snoozes",
    "dispatch",
  ],
  "agent-tools": ["core", "sessions", "memos", "edges", "queue", "workflows", "intake", "runs"],
  passes: ["core", "runs"],
  "dead-letters": ["core", "queue"],
  // Reads of runs and items are arguments.
  steward: ["core", "sessions", "workflows", "workflow-files"],
  sources: ["core", "memos", "sessions", "edges", "runs", "steward"],
  client: ["core"],
  // Of the others the types of what is shown, and nothing that reads or writes.
  pages: [
    "core",
    "runs",
    "memos",
    "queue",
    "sessions",
    "workflows",
    "passes",
    "notices",
    "audit",
    "holds",
    "steward",
  ],
  // Model: doctor reads config.json as the host does, and asks each model through the same code. Keys: the
  // first one of a deployment is written as the product writes them.
  cli: ["core", "workflows", "client", "model", "api-keys"],
};

type Source = { path: string; text: string; lines: number; imports: string[] };

const root = join(import.meta.dirname, "..");

function sourcesOf(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => {
      const path = relative(root, join(entry.parentPath, entry.name));
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, lines: text.split("\n").length - 1, imports: importsOf(text) };
    });
}

/** What a file imports, types and lazy imports included. */
function importsOf(text: string): string[] {
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)["']([^"']+)["']/gm);
  return [...found].map((match) => match[1]!);
}

/** The project file that a relative import names; undefined for packages. */
const targetOf = (from: string, name: string): string | undefined =>
  name.startsWith(".") ? normalize(join(dirname(from), name)) : undefined;

const roomOf = (path: string): string | undefined => /^lib\/([^/]+)\//.exec(path)?.[1];

type Fault = string;

function importFaults(source: Source): Fault[] {
  const faults: Fault[] = [];
  const room = roomOf(source.path);
  for (const name of source.imports) {
    const target = targetOf(source.path, name);
    const fault = (why: string) => faults.push(`${source.path} imports ${target ?? name}: ${why}`);
    if (room) {
      const other = target && roomOf(target);
      const allowed = LIB_ROOMS[room];
      if (!allowed) fault(`room ${room} is not declared`);
      // The command line says which release it is.
      else if (target && !other && !(room === "cli" && target === "package.json"))
        fault("lib imports lib only");
      else if (other && other !== room && !allowed.includes(other)) fault(`${room} may not import ${other}`);
      if (name.startsWith("@aws-sdk/") && !/(^|\/)store\.ts$|-adapter\.ts$/.test(source.path)) {
        fault("the AWS SDK lives in store.ts and *-adapter.ts");
      }
    }
    if (/^(aws-cdk-lib|constructs|cdk-nag)/.test(name) && !/^(infra\/aws|test)\//.test(source.path)) {
      fault("CDK lives in infra/aws");
    }
    if (source.path.startsWith("functions/") && target?.startsWith("infra/"))
      fault("functions import lib only");
    if (
      source.path.startsWith("functions/") &&
      name.startsWith("@aws-sdk") &&
      source.path !== "functions/wiring.ts"
    ) {
      fault("clients are made in wiring.ts");
    }
    if (source.path.startsWith("infra/aws/") && target?.startsWith("infra/local/")) fault("hosts are apart");
    if (source.path.startsWith("infra/local/") && target?.startsWith("infra/aws/")) fault("hosts are apart");
    if (
      /^infra\/(topology|tables)\.ts$/.test(source.path) &&
      target &&
      !/^(functions\/env|lib\/core\/keys|infra\/tables)\.ts$/.test(target)
    ) {
      fault("the topology takes names only");
    }
  }
  return faults;
}

/** Only the runner and the chat turn worker hold a model. */
function modelFaults(source: Source): Fault[] {
  if (!source.path.startsWith("functions/")) return [];
  const allowed = /^functions\/(queue-run|queue-turn|wiring-model)\.ts$/.test(source.path);
  return source.imports
    .map((name) => targetOf(source.path, name) ?? name)
    .filter(
      (target) => /wiring-model|-adapter\.ts$/.test(target) && !/(doorbell|parameter)-adapter/.test(target),
    )
    .filter(() => !allowed)
    .map((target) => `${source.path} imports ${target}: only the runner holds a model`);
}

function lengthFaults(source: Source): Fault[] {
  const faults: Fault[] = [];
  // Declarations are generated.
  if (source.lines > 400 && !source.path.endsWith(".d.ts"))
    faults.push(`${source.path} has ${source.lines} lines of 400`);
  if (
    /^functions\/(?:pages\/)?[^/]+\.ts$/.test(source.path) &&
    source.lines > 80 &&
    !/\/(env|wiring)\.ts$/.test(source.path)
  ) {
    faults.push(`${source.path} has ${source.lines} lines of 80`);
  }
  return faults;
}

/** Time, ids, randomness and the environment each have one file; words that say nothing have none. */
const GREPS: { pattern: RegExp; in: RegExp; except: RegExp; why: string }[] = [
  { pattern: /\bDate\.now\(\)/, in: /^(lib|functions)\//, except: /^lib\/core\/clock\.ts$/, why: "clock.ts" },
  {
    pattern: /\brandomUUID\b|\brandomBytes\b|\bMath\.random\(/,
    in: /^(lib|functions)\//,
    except: /^lib\/core\/ids\.ts$/,
    why: "ids.ts",
  },
  {
    pattern: /\bprocess\.env\b/,
    in: /^(lib|functions)\//,
    except: /^(functions\/env|lib\/cli\/environment)\.ts$/,
    why: "env.ts",
  },
  { pattern: /\bset(Timeout|Interval)\(/, in: /^lib\//, except: /^$/, why: "waiting is data" },
  {
    pattern: /^export default\b/m,
    in: /^(lib|functions|infra)\//,
    except: /(embedded-modules|pages\/assets\/[\w-]+)\.d\.ts$/,
    why: "named exports only",
  },
  {
    pattern: /\bTransactWrite|\bScanCommand\b/,
    in: /^(lib|functions)\//,
    except: /^$/,
    why: "one conditional write; no Scan",
  },
  {
    pattern: /\bas any\b|: any\b/,
    in: /^(lib|functions|infra|test)\//,
    except: /^test\/rooms\.test\.ts$/,
    why: "values are parsed",
  },
  {
    pattern: /\bvi\.mock\(/,
    in: /^test\//,
    except: /^test\/rooms\.test\.ts$/,
    why: "no mocks of our modules",
  },
];

/** The text without its comments: prose may name what code may not do. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1");

const grepFaults = (source: Source): Fault[] =>
  GREPS.filter((grep) => grep.in.test(source.path) && !grep.except.test(source.path))
    .filter((grep) => grep.pattern.test(codeOf(source.text)))
    .map((grep) => `${source.path} has ${grep.pattern}: ${grep.why}`);

const nameFaults = (source: Source): Fault[] =>
  /(^|\/)(index|utils?|helpers?|common|types|manager|service)\.(ts|tsx)$/.test(source.path)
    ? [`${source.path}: name the noun`]
    : [];

const RULES = { importFaults, modelFaults, lengthFaults, grepFaults, nameFaults };
const all = ["lib", "functions", "infra", "test"].flatMap(sourcesOf);

describe("the house keeps its order", () => {
  test.each(Object.entries(RULES))("no file breaks %s", (_name, rule) => {
    expect(all.flatMap(rule)).toEqual([]);
  });
});

describe("each rule is seen to guard", () => {
  const file = (path: string, text: string): Source => ({
    path,
    text,
    lines: text.split("\n").length - 1,
    imports: importsOf(text),
  });
  const broken: [keyof typeof RULES, Source][] = [
    ["importFaults", file("lib/core/a.ts", 'import { x } from "../runs/run.ts";\n')],
    ["importFaults", file("lib/queue/a.ts", 'import { x } from "../../functions/env.ts";\n')],
    ["importFaults", file("lib/queue/a.ts", 'import { SQSClient } from "@aws-sdk/client-sqs";\n')],
    ["importFaults", file("lib/unheard/a.ts", 'import { x } from "../core/ids.ts";\n')],
    ["importFaults", file("infra/local/a.ts", 'import { App } from "aws-cdk-lib";\n')],
    ["importFaults", file("infra/topology.ts", 'import { x } from "../lib/runs/run.ts";\n')],
    ["importFaults", file("functions/a.ts", 'const lazy = await import("@aws-sdk/client-ssm");\n')],
    [
      "modelFaults",
      file("functions/schedule-pass.ts", 'import { createModels } from "./wiring-model.ts";\n'),
    ],
    ["modelFaults", file("functions/http-a.ts", 'import { m } from "../lib/model/offline-adapter.ts";\n')],
    ["lengthFaults", file("lib/runs/a.ts", "\n".repeat(401))],
    ["lengthFaults", file("functions/http-a.ts", "\n".repeat(81))],
    ["grepFaults", file("lib/runs/a.ts", "const at = Date.now();\n")],
    ["grepFaults", file("lib/runs/a.ts", "const id = randomUUID();\n")],
    ["grepFaults", file("functions/a.ts", "const table = process.env.T;\n")],
    ["grepFaults", file("lib/runs/a.ts", "setTimeout(work, 5);\n")],
    ["grepFaults", file("lib/runs/a.ts", "export default 1;\n")],
    ["grepFaults", file("lib/runs/store.ts", "new ScanCommand({});\n")],
    ["grepFaults", file("test/a.test.ts", 'vi.mock("../lib/a.ts");\n')],
    ["nameFaults", file("lib/runs/utils.ts", "")],
  ];
  test.each(broken)("%s is red for a file that breaks it (%#)", (rule, source) => {
    expect(RULES[rule](source)).toHaveLength(1);
  });
});
