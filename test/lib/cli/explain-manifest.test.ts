import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileOffline } from "../../../lib/cli/author/compile-offline.ts";
import { explainManifest } from "../../../lib/cli/author/explain-manifest.ts";

const EXAMPLES = new URL("../../fixtures/examples/workflows/", import.meta.url);
const GOLDEN = new URL("../../fixtures/cli/explain/", import.meta.url);

test.each(readdirSync(EXAMPLES))("%s is explained as it stands beside it", async (name) => {
  const compiled = await compileOffline(readFileSync(new URL(name, EXAMPLES), "utf8"), 0);
  if (!compiled.ok) throw new Error("does not compile");
  const explained = `${explainManifest(compiled.manifest).join("\n")}\n`;
  const file = new URL(name.replace(/md$/, "txt"), GOLDEN);
  if (process.env["UPDATE_FIXTURES"] === "1") {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(file, explained);
  }
  expect(existsSync(file)).toBe(true);
  expect(explained).toBe(readFileSync(file, "utf8"));
});
