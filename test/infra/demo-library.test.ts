import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const LIBRARY = join(import.meta.dirname, "../../infra/local/library");
const read = (folder: string) =>
  readdirSync(join(LIBRARY, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ name, text: readFileSync(join(LIBRARY, folder, name), "utf8") }));
const memos = read(".");
const workflows = read("workflows");
const titles = new Set([...memos, ...workflows].map(({ text }) => /^# (.+)\n/.exec(text)?.[1]));

test.each(memos)("$name begins with its title and has 10 to 40 lines", ({ text }) => {
  expect(text).toMatch(/^# \S.*\n\n/);
  const lines = text.trimEnd().split("\n").length;
  expect(lines).toBeGreaterThanOrEqual(10);
  expect(lines).toBeLessThanOrEqual(40);
});

test.each([...memos, ...workflows])("$name links only to memos that are here", ({ text }) => {
  const links = [...text.replaceAll(/`[^`\n]*`/g, "").matchAll(/\[\[([^\]|]+)/g)].map((match) => match[1]);
  expect(links.filter((link) => !titles.has(link))).toEqual([]);
});

test("has one memo for each title", () => {
  expect(titles.size).toBe(memos.length + workflows.length);
});
