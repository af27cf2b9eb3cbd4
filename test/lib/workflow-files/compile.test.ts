import { describe, expect, it } from "vitest";
import { compileWorkflowFile } from "../../../lib/workflow-files/compile.ts";
import { FILE_MAX_BYTES } from "../../../lib/workflow-files/front-matter.ts";
import { resultOf } from "../../../lib/workflow-files/result.ts";
import { Manifest } from "../../../lib/workflows/manifest.ts";
import { compiledFile, FILE_ID, workflowFile } from "../../support/workflow-file.ts";

const NAMES = { tools: ["list", "apply"], transforms: ["pick", "report"] };
const compile = (text: string) => compileWorkflowFile(text, { workflowId: FILE_ID, ...NAMES });

const GOOD = workflowFile({
  more: `inputs:
  days: { type: integer, description: how old, default: 30 }
  apply: { type: boolean, default: false }
  origins: { type: array }
result: { report: $steps.report, days: $input.days }
timeout_ms: 60000
retry: { attempts: 1 }
triggers:
  - { kind: schedule, cron: "0 * * * *", status: paused, input: { apply: true } }
  - { kind: schedule, rate: 2 days, timeZone: Europe/Berlin }
metadata:
  command: /do-it
  model: small
  budget: { run: { tokens: 9000 }, day: { usd: 1.5 } }
  memo: { from: report, title: "Report {{run.date}}", tags: [reports] }`,
  steps: `  - { id: list, kind: tool, tool: list, input: { days: $input.days, price: $$5 } }
  - id: each
    kind: map
    over: $steps.list.items
    parallelism: 4
    onError: collect
    steps:
      - { id: fetch, kind: tool, tool: list, input: { id: $item.id, at: $index } }
      - { id: ask, kind: agent, prompt: Say it., input: { what: $steps.fetch, all: $steps.list } }
  - { id: report, kind: transform, transform: report, input: { each: $steps.each } }`,
});

describe("a workflow file", () => {
  it("compiles to a manifest that the published form accepts, the same at any time", () => {
    const manifest = compiledFile(GOOD, NAMES);
    expect(Manifest.parse(manifest)).toEqual(manifest);
    expect(manifest.steps.map(({ id, kind }) => `${id}:${kind}`)).toEqual([
      "input:trigger",
      "list:tool",
      "each:map",
      "report:transform",
      "memo:output",
    ]);
    expect(manifest.trigger).toMatchObject({
      command: "/do-it",
      status: "live",
      invoke: [
        { kind: "queue" },
        { kind: "command" },
        {
          kind: "schedule",
          expression: "cron(0 * * * ? *)",
          timeZone: null,
          payload: { apply: true },
          paused: true,
        },
        { kind: "schedule", expression: "rate(2 days)", timeZone: "Europe/Berlin" },
      ],
    });
    expect(manifest.policy).toMatchObject({
      approval: { mode: "auto" },
      target: { kind: "new" },
      destination: "memo",
      concurrency: 1,
      model: "small",
      retries: 0,
      timeoutMs: 60_000,
      tags: ["reports"],
      budget: { run: { tokens: 9000, usd: null }, day: { tokens: null, usd: 1.5 } },
    });
    expect(compiledFile(GOOD, NAMES)).toEqual(manifest);
  });

  it("publishes a default and leaves it to the workflow what a missing input means", () => {
    const { trigger } = compiledFile(GOOD, NAMES);
    expect(
      trigger.inputs.map((input) => [input.name, input.type, input.required, "default" in input]),
    ).toEqual([
      ["days", "number", false, false],
      ["apply", "boolean", false, false],
      ["origins", "json", false, false],
    ]);
    expect(trigger.inputSchema["properties"]).toMatchObject({ days: { default: 30 } });
  });

  it("has a hash of what it does, and not of where its lines stand", () => {
    const { manifestHash } = compiledFile(GOOD, NAMES);
    expect(compiledFile(GOOD.replace("steps:\n", "# a line more\nsteps:\n"), NAMES).manifestHash).toBe(
      manifestHash,
    );
    expect(compiledFile(GOOD.replace("Say it.", "Say more."), NAMES).manifestHash).not.toBe(manifestHash);
  });

  it("answers its result, else the output of its last step", () => {
    const manifest = compiledFile(GOOD, NAMES);
    expect(resultOf(manifest, { report: "# R" }, { days: 3 })).toEqual({ report: "# R", days: 3 });
    expect(resultOf(manifest, { report: "# R" })).toEqual({ report: "# R" });
    const { result: _, ...plain } = manifest;
    expect(resultOf(plain, { list: 1, report: "# R" })).toBe("# R");
  });
});

const step = (text: string) => `  - { ${text} }`;
const first = step("id: a, kind: tool, tool: list");

describe("one fault is one diagnostic, at its line", () => {
  it.each<[what: string, code: string, line: number, text: string]>([
    ["no front matter", "WF002", 1, "# Hello\n"],
    ["a field that is none", "WF010", 6, workflowFile({ more: "nmae: x", steps: first })],
    [
      "a field of the form that nothing does here",
      "WF013",
      6,
      workflowFile({ more: "entry: ./x.ts", steps: first }),
    ],
    ["a missing field", "WF011", 2, workflowFile({ steps: first }).replace("version: 1.0.0\n", "")],
    ["a version that is none", "WF012", 5, workflowFile({ steps: first }).replace("1.0.0", "one")],
    ["another id than its own", "WF012", 3, workflowFile({ steps: first }).replace("a-file", "b-file")],
    ["no steps", "WF023", 7, workflowFile({ steps: "  []" })],
    ["a kind that is none", "WF020", 7, workflowFile({ steps: step("id: a, kind: branch") })],
    [
      "a map within a map",
      "WF024",
      10,
      workflowFile({
        steps: `  - id: m
    kind: map
    over: $input.x
    steps: [{ id: n, kind: map }]`,
        more: "",
      }).replace("$input.x", "$input"),
    ],
    ["an unknown tool", "WF030", 7, workflowFile({ steps: step("id: a, kind: tool, tool: lst") })],
    [
      "an unknown transform",
      "WF031",
      7,
      workflowFile({ steps: step("id: a, kind: transform, transform: x") }),
    ],
    ["one id twice", "WF021", 8, workflowFile({ steps: `${first}\n${first}` })],
    ["an id of ours", "WF022", 7, workflowFile({ steps: step("id: memo, kind: tool, tool: list") })],
    [
      "a reference to no step",
      "WF041",
      7,
      workflowFile({ steps: step("id: a, kind: tool, tool: list, input: $steps.b") }),
    ],
    [
      "a reference to itself",
      "WF042",
      7,
      workflowFile({ steps: step("id: a, kind: tool, tool: list, input: $steps.a") }),
    ],
    [
      "a reference to a later step",
      "WF042",
      7,
      workflowFile({
        steps: `${step("id: a, kind: tool, tool: list, input: [$steps.b.x]")}\n${step("id: b, kind: tool, tool: list")}`,
      }),
    ],
    [
      "$item outside of a map",
      "WF043",
      7,
      workflowFile({ steps: step("id: a, kind: tool, tool: list, input: { x: $item }") }),
    ],
    [
      "an input that nobody declared",
      "WF044",
      7,
      workflowFile({ steps: step("id: a, kind: tool, tool: list, input: { x: $input.y }") }),
    ],
    [
      "a dollar sign that is no reference",
      "WF040",
      7,
      workflowFile({ steps: step("id: a, kind: tool, tool: list, input: { x: $run.id }") }),
    ],
    [
      "a step of a map, named outside of it",
      "WF041",
      8,
      workflowFile({
        steps: `  - { id: m, kind: map, over: $input, steps: [{ id: n, kind: tool, tool: list }] }
${step("id: b, kind: tool, tool: list, input: $steps.n")}`,
      }),
    ],
    ["a list that is none", "WF012", 6, workflowFile({ more: "triggers: 1", steps: first })],
    [
      "a schedule that never comes",
      "WF050",
      7,
      workflowFile({
        more: `triggers:
  - { kind: schedule, cron: "0 0 31 2 *" }`,
        steps: first,
      }),
    ],
    [
      "a schedule that does not fill an input",
      "WF051",
      9,
      workflowFile({
        more: `inputs:
  x: { type: number }
triggers:
  - { kind: schedule, rate: 1 day, input: { x: "1" } }`,
        steps: first,
      }),
    ],
    [
      "a memo of no step",
      "WF041",
      7,
      workflowFile({
        more: `metadata:
  memo: { from: z }`,
        steps: first,
      }),
    ],
    [
      "an agent without a budget",
      "WF061",
      2,
      workflowFile({ steps: step("id: a, kind: agent, prompt: Hi.") }),
    ],
    [
      "a name twice",
      "WF004",
      8,
      workflowFile({
        steps: `  - id: a
    id: b
    kind: tool
    tool: list`,
      }),
    ],
    ["an alias", "WF005", 7, workflowFile({ steps: step("id: a, kind: tool, tool: list, input: &x 1") })],
    ["a tag", "WF005", 7, workflowFile({ steps: step("id: a, kind: tool, tool: list, input: !x 1") })],
    [
      "a number that JSON has not",
      "WF007",
      7,
      workflowFile({ steps: step("id: a, kind: tool, tool: list, input: .inf") }),
    ],
    [
      "a name that is a number",
      "WF006",
      7,
      workflowFile({ steps: step("id: a, kind: tool, tool: list, input: { 1: 2 }") }),
    ],
  ])("%s: %s at line %i", (_what, code, line, text) => {
    const { ok, diagnostics } = compile(text);
    expect(diagnostics.map((found) => [found.code, found.range.start.line])).toEqual([[code, line]]);
    expect(ok).toBe(false);
    expect(diagnostics[0]?.message).not.toBe("");
  });

  it("reports places of a file with CRLF line ends and a BOM", () => {
    const text = `\uFEFF${workflowFile({ steps: step("id: a, kind: nothing") }).replaceAll("\n", "\r\n")}`;
    expect(compile(text).diagnostics).toMatchObject([
      { code: "WF020", range: { start: { line: 7, column: 20 } } },
    ]);
  });
});

describe("a hostile file is refused and never a crash", () => {
  const laughs = ["a: &a [1,1,1,1,1,1,1,1,1]"];
  for (let level = 1; level < 9; level++) {
    const before = String.fromCharCode(96 + level);
    const name = String.fromCharCode(97 + level);
    laughs.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`);
  }
  it.each<[string, string]>([
    ["more than 64 KB", workflowFile({ steps: first }) + "x".repeat(FILE_MAX_BYTES)],
    ["aliases of aliases", `---\n${laughs.join("\n")}\n---\n`],
    ["an alias of itself", "---\na: &a [*a]\n---\n"],
    ["thirty thousand brackets", `---\na: ${"[".repeat(30_000)}\n---\n`],
    ["deep nesting that closes", `---\na: ${"[".repeat(15_000)}${"]".repeat(15_000)}\n---\n`],
    ["ten thousand names", `---\n${Array.from({ length: 10_000 }, (_, n) => `k${n}: 1`).join("\n")}\n---\n`],
    ["a prototype", "---\n__proto__: { name: x }\n---\n"],
    ["a merge key", "---\n<<: { name: x }\n---\n"],
    ["two documents", "---\na: 1\n...\nb: 2\n---\n"],
    ["half a surrogate pair", "---\nname: \ud800\n---\n"],
    ["a NUL", "---\nname: \0\n---\n"],
    ["an unclosed quote", '---\nname: "x\n---\n'],
    ["nothing", ""],
    ["an empty front matter", "---\n---\n"],
    ["a list for a file", "---\n- a\n---\n"],
  ])("%s", (_what, text) => {
    const { ok, diagnostics } = compile(text);
    expect(ok).toBe(false);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThanOrEqual(50);
  });
});
