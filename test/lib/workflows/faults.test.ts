import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { waitingReason } from "../../../lib/workflows/lane-state.ts";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";
import { compileCase } from "./case-library.ts";

/** Faults that other systems with workflows in text were reported to have, by the numbers of our list. */

const smallest = readFileSync(
  new URL("../../fixtures/workflows/smallest/workflow.md", import.meta.url),
  "utf8",
);
const held = smallest.replace("- **Destination**", "- **Approval** `hold`\n- **Destination**");

async function manifestOf(text: string) {
  const compiled = await compileCase(text);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  return compiled.manifest;
}

const codesOf = async (text: string): Promise<string[]> =>
  (await compileCase(text)).diagnostics.map(({ code }) => code);

describe("O31: what stands in a fence is text", () => {
  it.each(["```", "~~~~", "```md"])("%s in Steps opens no section and sets nothing", async (fence) => {
    const close = fence.replace("md", "");
    const inside = "## Policy\n\n- **Approval** none\n";
    const lines = `${fence}\n${inside}${close}`.replace(/^(?=.)/gm, "   ");
    const text = held.replace("{{payload.topic}}.", `{{payload.topic}}.\n\n${lines}`);
    const manifest = await manifestOf(text);
    expect(manifest.policy.approval).toEqual({ mode: "hold", unless: null });
    expect(manifest.steps).toHaveLength(3);
    expect(manifest.steps[1]?.instructions).toContain(`${fence}\n${inside}${close}`);
    expect(parseWorkflow(text).diagnostics).toEqual([]);
  });

  it("and a fence without its end takes what is below it, which is then missing", async () => {
    const compiled = await compileCase(held.replace("## Policy", "```\n## Policy"));
    expect(compiled.diagnostics.map(({ code }) => code)).toEqual(["MW001"]);
  });
});

describe("O32: line ends and a BOM change nothing", () => {
  const ways = { LF: held, CRLF: held.replaceAll("\n", "\r\n"), CR: held.replaceAll("\n", "\r") };

  it.each(Object.entries({ ...ways, "BOM and CRLF": `\uFEFF${ways.CRLF}` }))("%s", async (_, text) => {
    expect((await manifestOf(text)).manifestHash).toBe((await manifestOf(held)).manifestHash);
  });
});

it("O33: two sections of one name are an error that names both lines, and nothing runs", async () => {
  const text = `${held}\n## Policy\n- **Approval** none\n`;
  const compiled = await compileCase(text);
  expect(waitingReason(compiled)).toBe("compile_error");
  const lines = text.split("\n").flatMap((line, index) => (line === "## Policy" ? [index + 1] : []));
  const [twice, ...others] = compiled.diagnostics;
  expect(others).toEqual([]);
  expect(twice).toMatchObject({ code: "MW004", range: { start: { line: lines[1] } } });
  expect(twice?.hint).toContain(`line ${lines[0]}`);
  expect(twice?.related?.[0]?.range.start.line).toBe(lines[0]);
});

it.each(["Polices", "Polciy", "Policys", "Policy!"])(
  'O34: "## %s" is not taken for no policy but for a misspelt one',
  async (heading) => {
    const compiled = await compileCase(held.replace("## Policy", `## ${heading}`));
    expect(compiled.ok).toBe(false);
    expect(compiled.diagnostics).toMatchObject([{ code: "MW002", hint: 'Did you mean "Policy"?' }]);
  },
);

it.each([
  'Fix: the "a: b" case, 100% #1 — v2',
  "'quoted': [not, a, list] & {not: a map}",
  "yes",
  "2026-01-01: - one | two > three",
])("O35: a summary keeps %j as it is written", async (summary) => {
  const text = held.replace(/(\*\*Summary\*\*) .*/, `$1 ${summary}`);
  expect((await compileCase(text)).ok && (await manifestOf(text)).trigger.summary).toBe(summary);
});

describe("O36: an emoji is never cut in two", () => {
  it.each([157, 158, 159, 160, 161])("by the length of a summary, at %i", async (length) => {
    const summary = `${"x".repeat(length)}🎉`;
    const manifest = await manifestOf(held.replace(/(\*\*Summary\*\*) .*/, `$1 ${summary}`));
    expect(manifest.trigger.summary).toBe(summary);
    expect(JSON.stringify(manifest).isWellFormed()).toBe(true);
  });

  it.each(Array.from({ length: 8 }, (_, index) => 460 + index * 5).flatMap((length) => [length, length + 1]))(
    "by the length of a message, with a key of %i characters before it",
    async (length) => {
      const key = `${"x".repeat(length)}${"🎉".repeat(40)}`;
      const { diagnostics } = await compileCase(held.replace("**Approval**", `**${key}**`));
      const [unknown] = diagnostics;
      expect(unknown?.code).toBe("MW401");
      expect(unknown?.message.length).toBeLessThanOrEqual(500);
      expect(JSON.stringify(diagnostics).isWellFormed()).toBe(true);
    },
  );

  it("and stands in commands, titles and instructions as it was written", async () => {
    const manifest = await manifestOf(held.replace("Write about", "Write 🎉🏳️‍🌈 about"));
    expect(manifest.steps[1]?.instructions).toContain("🎉🏳️‍🌈");
  });
});

it("O39: a destination that nothing here can write to is an error before any model is called", async () => {
  const compiled = await compileCase(held.replace("`memo`", "`worktree`"));
  expect(waitingReason(compiled)).toBe("compile_error");
  expect(compiled.diagnostics).toMatchObject([
    {
      code: "MW412",
      message: "Nothing here can write to `worktree`",
      hint: "Dispatchers here: memo, reply.",
    },
  ]);
});

describe("O44: the same Policy in another form of list is the same", () => {
  const policy = {
    "-": "- **Approval** `hold`\n- **Destination** `memo`\n- **Tags** `a`, `b`\n- **Budget** `10k tokens` per run\n",
    "*": "* **Approval** `hold`\n* **Destination** `memo`\n* **Tags** `a`, `b`\n* **Budget** `10k tokens` per run\n",
    "+": "+ **Approval** `hold`\n+ **Destination** `memo`\n+ **Tags** `a`, `b`\n+ **Budget** `10k tokens` per run\n",
    "1.": "1. **Approval** `hold`\n1. **Destination** `memo`\n3. **Tags** `a`, `b`\n4. **Budget** `10k tokens` per run\n",
    "another bullet for each":
      "- **Approval** `hold`\n* **Destination** `memo`\n+ **Tags** `a`, `b`\n1) **Budget** `10k tokens` per run\n",
    "a colon in the bold":
      "- **Approval:** hold\n- **Destination:** memo\n- **Tags:** `a`, `b`\n- **Budget:** `10k tokens` per run\n",
    "a colon after the bold":
      "- **Approval**: `hold`\n- **Destination**: `memo`\n- **Tags**: `a` `b`\n- **Budget**: `10k tokens` per run\n",
    "a list in a list":
      "- **Approval** `hold`\n- **Destination** `memo`\n- **Tags**\n  - `a`\n  - `b`\n- **Budget** `10k tokens` per run\n",
    "fields below a label":
      "- How it lands\n  - **Approval** `hold`\n  - **Destination** `memo`\n- What it is\n  - **Tags** `a`, `b`\n  - **Budget** `10k tokens` per run\n",
    "empty lines between":
      "\n- **Approval** `hold`\n\n- **Destination** `memo`\n\n\n- **Tags** `a`, `b`\n\n- **Budget** `10k tokens` per run\n",
    "prose between":
      "Who decides:\n\n- **Approval** `hold`\n\nWhere it goes:\n\n- **Destination** `memo`\n- **Tags** `a`, `b`\n\nAnd what for.\n\n- **Budget** `10k tokens` per run\n\nThat is all.\n",
    "lines that go on":
      "- **Approval**\n  `hold`\n- **Destination**\n`memo`\n- **Tags** `a`,\n  `b`\n- **Budget** `10k tokens`\n  per run\n",
  };
  const withPolicy = (list: string): string => `${smallest.split("## Policy")[0]}## Policy\n${list}`;

  it.each(Object.entries(policy))("%s", async (_, list) => {
    const manifest = await manifestOf(withPolicy(list));
    expect(manifest.policy.tags).toEqual(["a", "b"]);
    expect(manifest.manifestHash).toBe((await manifestOf(withPolicy(policy["-"]))).manifestHash);
  });
});

describe("O45: an empty part has its own code, and never an exception's text", () => {
  const SECTIONS = ["MW001", "MW001", "MW001", "MW001"];
  const without = (name: string): string =>
    held.replace(new RegExp(`(## ${name}\n)[\\s\\S]*?(?=\n## |$(?![\\s\\S]))`), "$1");

  it.each([
    ["a memo of nothing", "", SECTIONS],
    ["a memo of white space", " \n\t\n", SECTIONS],
    ["a memo of only a title", "# Case\n", SECTIONS],
    ["front matter of nothing and no more", "---\n---\n", SECTIONS],
    ["front matter of nothing", `---\n---\n${held}`, []],
    ["front matter of an empty line", `---\n\n---\n${held}`, []],
    ["a load contract of nothing", without("Load Contract"), []],
    ["a trigger of nothing", without("Trigger"), ["MW110", "MW112"]],
    ["steps of nothing", without("Steps"), ["MW304"]],
    ["a policy of nothing", without("Policy"), ["MW411", "MW415"]],
    ["a command of nothing", held.replace("`/case`", ""), ["MW110"]],
    ["an approval of nothing", held.replace("`hold`", ""), ["MW410"]],
    ["a gate of nothing", held.replace("[[House style]]", ""), ["MW202"]],
    ["an item of nothing", held.replace("- **Approval** `hold`", "-\n- **Approval** `hold`"), []],
  ])("%s", async (_, text, codes) => {
    expect(await codesOf(text)).toEqual(codes);
    const said = JSON.stringify((await compileCase(text)).diagnostics);
    expect(said).not.toMatch(/undefined|null|NaN|TypeError|Cannot read/);
  });
});
