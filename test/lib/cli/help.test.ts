import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { authorGroup } from "../../../lib/cli/author.ts";
import { decideGroup } from "../../../lib/cli/decide.ts";
import { deployGroup } from "../../../lib/cli/deploy.ts";
import { libraryGroup } from "../../../lib/cli/library.ts";
import { mcpGroup } from "../../../lib/cli/mcp.ts";
import { opsGroup } from "../../../lib/cli/ops.ts";
import { createProgram, type Group } from "../../../lib/cli/program.ts";
import { runGroup } from "../../../lib/cli/run.ts";
import { sessionsGroup } from "../../../lib/cli/sessions.ts";
import { skillGroup } from "../../../lib/cli/skill.ts";
import type { Command } from "commander";

const GROUPS: readonly Group[] = [
  authorGroup,
  runGroup,
  decideGroup,
  libraryGroup,
  sessionsGroup,
  skillGroup,
  mcpGroup,
  opsGroup,
  deployGroup,
];
const program = createProgram(GROUPS, "1.2.3", async () => {});

const leaves = (command: Command): Command[] =>
  command.commands.length > 0 ? command.commands.flatMap(leaves) : [command];
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : "";

/** Help as it is printed, with what stands behind it. */
function helpOf(command: Command): string {
  let shown = "";
  command.configureOutput({ writeOut: (text) => (shown += text) }).outputHelp();
  return shown;
}

test("every command is there once", () => {
  const named = GROUPS.flatMap(({ commands }) => commands.map(({ usage }) => usage.replace(/ [[<].*$/, "")));
  expect(leaves(program).map(pathOf).toSorted()).toEqual(named.toSorted());
  expect(new Set(named).size).toBe(named.length);
});

test.each(leaves(program).map((command) => [pathOf(command), command] as const))(
  "mythos %s has help with two examples of itself",
  (path, command) => {
    const examples = helpOf(command).match(/^ {2}\$ .*$/gm) ?? [];
    expect(examples).toHaveLength(2);
    for (const example of examples) expect(example).toContain(`mythos ${path}`);
  },
);

test("no secret is an option: they would stand in the history of a shell", () => {
  const flags = [program, ...leaves(program)].flatMap(({ options }) => options.map((option) => option.flags));
  expect(flags.filter((flag) => /secret|token|password|internal|api-?key/i.test(flag))).toEqual([]);
});

test("the README names commands and options that there are", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const lines = readme.match(/^npx mythos .*$/gm) ?? [];
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    const words = line
      .replace(/ # .*$/, "")
      // What stands after it is another program's.
      .replace(/ -- .*$/, "")
      .split(/\s+/)
      .slice(2);
    const command = leaves(program).find((leaf) => `${words.join(" ")} `.startsWith(`${pathOf(leaf)} `));
    expect({ line, found: command !== undefined }).toEqual({ line, found: true });
    const flags = words.filter((word) => word.startsWith("--")).map((word) => word.replace(/=.*$/, ""));
    const known = [...program.options, ...command!.options].map(({ long }) => long);
    expect(known).toEqual(expect.arrayContaining(flags));
  }
});
