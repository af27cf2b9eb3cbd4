import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileOffline } from "../../../lib/cli/author/compile-offline.ts";
import { formatSafely } from "../../../lib/cli/author/fmt.ts";
import { formatWorkflow } from "../../../lib/cli/author/format-workflow.ts";
import { fromTemplate } from "../../../lib/cli/author/new.ts";
import { TEMPLATES } from "../../../lib/cli/author.ts";

const EXAMPLES = new URL("../../fixtures/examples/workflows/", import.meta.url);
const FIXTURES = new URL("../../fixtures/workflows/", import.meta.url);
const read = (name: string, root: URL): string => readFileSync(new URL(name, root), "utf8");

const TEXTS: Record<string, string> = {
  ...Object.fromEntries(readdirSync(EXAMPLES).map((name) => [name, read(name, EXAMPLES)])),
  ...Object.fromEntries(readdirSync(FIXTURES).map((name) => [name, read(`${name}/workflow.md`, FIXTURES)])),
  ...Object.fromEntries(TEMPLATES.map((name) => [`template ${name}`, fromTemplate(name, "/a-name")])),
};

async function hashOf(text: string): Promise<string | undefined> {
  const compiled = await compileOffline(text, 0);
  return compiled.ok ? compiled.manifest.manifestHash : undefined;
}

const compiling: [name: string, text: string][] = [];
for (const [name, text] of Object.entries(TEXTS)) if (await hashOf(text)) compiling.push([name, text]);

describe.each(compiling)("%s", (_name, text) => {
  test("has the same manifest when it is formatted", async () => {
    expect(await hashOf(formatWorkflow(text))).toBe(await hashOf(text));
  });

  test("is left as it is the second time", () => {
    const once = formatWorkflow(text);
    expect(formatWorkflow(once)).toBe(once);
  });
});

test("all six examples and all templates are among what is tested", () => {
  const names = compiling.map(([name]) => name);
  expect(names).toEqual(
    expect.arrayContaining([...readdirSync(EXAMPLES), ...TEMPLATES.map((t) => `template ${t}`)]),
  );
});

test("sections, keys and spacing are put in order, and notes go to the end", () => {
  const text = [
    "# A title",
    "## Notes",
    "For people.",
    "## Policy",
    "",
    "* **Budget** `10k tokens` per run",
    "",
    "* **Destination** `memo`   ",
    "* **Approval** `hold`",
    "## Steps",
    "1. **trigger** `start` A topic.",
    "2. **process** `draft` Write.",
    "3. **output** `publish` File it.",
    "",
    "",
    "## Load Contract",
    "## Trigger",
    "- **Input** `b` string",
    "- **Input** `a` string",
    "- **Status** `live`",
    "- **Command** `/case`",
  ].join("\r\n");
  expect(formatWorkflow(text)).toBe(`# A title

## Trigger
- **Command** \`/case\`
- **Status** \`live\`
- **Input** \`b\` string
- **Input** \`a\` string

## Load Contract

## Steps
1. **trigger** \`start\` A topic.
2. **process** \`draft\` Write.
3. **output** \`publish\` File it.

## Policy
- **Approval** \`hold\`
- **Destination** \`memo\`
- **Budget** \`10k tokens\` per run

## Notes

For people.
`);
});

test("a text that would compile to something else is given back as it was", async () => {
  const broken = "# No workflow\n\n\n\ntext";
  expect(await formatSafely(broken, 0)).toBe(broken);
});
