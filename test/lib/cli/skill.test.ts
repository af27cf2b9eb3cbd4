import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { AGENT_TOOLS } from "../../../lib/agent-tools/agent-tools.ts";
import { mythos } from "../../e2e/cli-process.ts";

const SKILL = join(import.meta.dirname, "../../../skills/loop/SKILL.md");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skill-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the skill has the form that agents read, and names tools that there are", () => {
  const text = readFileSync(SKILL, "utf8");
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const { name, description } = parse(head) as { name: string; description: string };
  expect(name).toBe("loop");
  expect(description.length).toBeLessThanOrEqual(1024);
  expect(body.split("\n").length).toBeLessThan(500);
  const named = [...body.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, tool]) => tool);
  const known = [...AGENT_TOOLS.map((tool) => tool.name), "wait_seconds"];
  expect(named.filter((tool) => !known.includes(tool!))).toEqual([]);
});

test("install puts it where an agent looks, once, and never over a changed one", async () => {
  const args = ["skill", "install", "--to", folder];
  const path = join(folder, "loop", "SKILL.md");
  expect(await mythos(args)).toMatchObject({ code: 0, out: `Installed: ${path}\n` });
  expect(readFileSync(path, "utf8")).toBe(readFileSync(SKILL, "utf8"));
  expect(await mythos(args)).toMatchObject({ code: 0, out: `Already there: ${path}\n` });
  writeFileSync(path, "mine");
  expect(await mythos(args)).toMatchObject({ code: 5, err: expect.stringContaining("--force") });
  expect(readFileSync(path, "utf8")).toBe("mine");
  expect(await mythos([...args, "--force"])).toMatchObject({ code: 0 });
});

test("it is this project's without a folder, and one folder is meant", async () => {
  expect(await mythos(["skill", "install"], { cwd: folder })).toMatchObject({
    out: expect.stringContaining(join(".claude", "skills", "loop", "SKILL.md")),
  });
  expect(await mythos(["skill", "install", "--user", "--to", folder])).toMatchObject({ code: 2 });
});
