import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAULTS } from "./rows.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Ids that stand in a text of a test, outside comments. */
function namedInTests(): Set<string> {
  const files = globSync("test/**/*.test.ts", { cwd: ROOT }).filter((file) => !file.includes("faults/rows"));
  const lines = files.flatMap((file) => readFileSync(join(ROOT, file), "utf8").split("\n"));
  const texts = lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && /["'`]/.test(line));
  return new Set(texts.flatMap((line) => line.match(/\b[OF]\d\d\b/g) ?? []));
}

test("every fault is a test by its id, or comes with a part that is not built", () => {
  const named = namedInTests();
  const missing = FAULTS.filter(({ id, comesWith }) => !comesWith && !named.has(id)).map(({ id }) => id);
  expect(missing).toEqual([]);
});
