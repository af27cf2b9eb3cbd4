import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost, type Host } from "../../infra/local/host.ts";
import { FUNCTIONS, type FunctionDeclaration } from "../../infra/topology.ts";
import { parseWorkflow } from "../../lib/workflows/parse.ts";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    (match) => match[1]!,
  );

let host: Host;
const dataDir = mkdtempSync(join(tmpdir(), "readme-"));
beforeAll(async () => {
  host = await startHost({ dataDir, port: 0, quiet: true, firstStart: true });
});
afterAll(async () => {
  await host.stop();
  rmSync(dataDir, { recursive: true });
});

/** Runs a block as a reader would, on this test's host and folder. */
async function runBlock(script: string): Promise<string> {
  const here = script.replaceAll("http://127.0.0.1:4747", host.url).replaceAll(".mythos/", `${dataDir}/`);
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", here], {
    cwd: root,
    env: { ...process.env, MYTHOS_DATA: dataDir },
  });
  return stdout;
}

test("the calls of an agent work as they are printed, and a repeat is the same item", async () => {
  const agent = blocks("sh").find((block) => block.includes("x-mythos-session"));
  const answers = await runBlock(agent ?? "");
  expect(answers).toContain('"runId":"run_');
  expect(answers).toContain("POST /api/workflows/{idOrCommand}/items");
});

test("the call of an MCP client works as it is printed", async () => {
  const call = blocks("sh").find((block) => block.includes("/mcp"));
  const answer = JSON.parse(await runBlock(call ?? "")) as { result: { structuredContent: object } };
  expect(JSON.stringify(answer.result.structuredContent)).toContain('"/draft-memo"');
});

test("npm run approve shows the waiting draft and lands it", async () => {
  const shown = await runBlock("npm run --silent approve -- --yes");
  expect(shown).toMatch(/^Writes {4}a new memo: /m);
  expect(shown).toMatch(/^Sha {7}sha256:[0-9a-f]{64}$/m);
  expect(shown).toContain("Approved.");
});

test("the workflow that is shown compiles without a word", () => {
  expect(blocks("markdown")).toHaveLength(1);
  expect(parseWorkflow(blocks("markdown")[0]!).diagnostics).toEqual([]);
});

test("every npm script that is named exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const named = [...readme.matchAll(/npm (?:run )?(?:--silent )?(start|test|synth|approve|check)\b/g)];
  expect(named.length).toBeGreaterThan(3);
  for (const [, name] of named) expect(Object.keys(scripts)).toContain(name);
});

test("every route that the host serves is in the table", () => {
  const declared: FunctionDeclaration[] = Object.values(FUNCTIONS);
  const resources = declared.flatMap(({ routes = [] }) =>
    routes.map(({ path }) =>
      path
        .split("/")
        .filter((part) => part !== "" && !part.startsWith("{"))
        .at(-1)!,
    ),
  );
  for (const name of new Set(resources)) expect(readme).toContain(name);
});
