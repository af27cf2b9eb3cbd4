import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { bundleEntries, type Bundle } from "../../infra/bundle.ts";
import { workflowFile } from "../support/workflow-file.ts";

const folder = mkdtempSync(join(tmpdir(), "bundle-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = join(folder, "handler.ts");
const namesOf = (made: Bundle | undefined) =>
  Object.keys(made!.metafile.inputs).map((path) => basename(path));

async function bundle(): Promise<Bundle> {
  const { only } = await bundleEntries([{ name: "only", file: source }], join(folder, "out"));
  return only!;
}
const load = async (file: string) =>
  (await import(`${pathToFileURL(file).href}?${statSync(file).mtimeMs}`)) as { handler: () => string };

test("bundles a handler once, and again only when a source has changed", async () => {
  writeFileSync(join(folder, "word.ts"), 'export const word: string = "first";');
  writeFileSync(source, 'import { word } from "./word.ts";\nexport const handler = () => word;');
  const first = await bundle();
  expect((await load(first.file)).handler()).toBe("first");
  const madeAt = statSync(first.file).mtimeMs;

  const second = await bundle();
  expect(statSync(second.file).mtimeMs).toBe(madeAt);
  expect(second.metafile).toEqual(first.metafile);

  writeFileSync(join(folder, "word.ts"), 'export const word: string = "second";');
  const third = await bundle();
  expect((await load(third.file)).handler()).toBe("second");
});

test("each bundle's metafile tells of its own files, also when they were made together", async () => {
  writeFileSync(
    join(folder, "a.ts"),
    'import { word } from "./word.ts";\nexport const handler = () => word;',
  );
  writeFileSync(join(folder, "b.ts"), "export const handler = () => 1;");
  const entries = ["a", "b"].map((name) => ({ name, file: join(folder, `${name}.ts`) }));
  const { a, b } = await bundleEntries(entries, join(folder, "two"));
  expect(namesOf(a).sort()).toEqual(["a.ts", "word.ts"]);
  expect(namesOf(b)).toEqual(["b.ts"]);
  expect(Object.keys(b!.metafile.outputs).map((path) => basename(path))).toEqual([
    "index.mjs.map",
    "index.mjs",
  ]);
});

test("bundles a function of the product once", async () => {
  const entries = [{ name: "sessions", file: "functions/http-sessions.ts" }];
  const made = async () =>
    statSync((await bundleEntries(entries, join(folder, "real")))["sessions"]!.file).mtimeMs;
  expect(await made()).toBe(await made());
});

test("bundles again when the bundle was deleted and its record was not", async () => {
  const { file } = await bundle();
  rmSync(file);
  await bundle();
  expect(statSync(file).size).toBeGreaterThan(0);
});

test("a bundle knows every named character that the package knows, and no other", async () => {
  const library = join(import.meta.dirname, "../../node_modules/decode-named-character-reference/index.js");
  const characters = join(folder, "characters.ts");
  writeFileSync(
    characters,
    `import { decodeNamedCharacterReference } from ${JSON.stringify(library)};
     export const handler = decodeNamedCharacterReference;`,
  );
  const { only } = await bundleEntries([{ name: "only", file: characters }], join(folder, "characters"));
  const { handler } = (await import(pathToFileURL(only!.file).href)) as {
    handler: (name: string) => unknown;
  };
  const { characterEntities } = await import("character-entities");
  const names = Object.keys(characterEntities);
  expect(names.length).toBeGreaterThan(2000);
  expect(Object.fromEntries(names.map((name) => [name, handler(name)]))).toEqual(characterEntities);
  expect(handler("toString")).toBe(false);
});

test("a workflow file is bundled compiled, and again when it, its names or the compiler change", async () => {
  const files = (tool: string, steps: string) => {
    writeFileSync(
      join(folder, "names.ts"),
      `export const NAMES = { workflowId: "memo_a-file", tools: ["${tool}"], transforms: [] } as const;`,
    );
    writeFileSync(join(folder, "WORKFLOW.md"), workflowFile({ steps }));
  };
  writeFileSync(
    source,
    'import workflow from "./WORKFLOW.md";\nexport const handler = () => JSON.stringify(workflow.manifest.steps);',
  );
  files("one", "  - { id: a, kind: tool, tool: one }");
  const first = await bundle();
  expect((await load(first.file)).handler()).toContain('"tool":"one"');
  const madeAt = statSync(first.file).mtimeMs;
  expect(statSync((await bundle()).file).mtimeMs).toBe(madeAt);
  // Nothing of the parser comes along.
  expect(namesOf(first).toSorted()).toEqual(["WORKFLOW.md", "handler.ts"]);

  files("one", "  - { id: b, kind: tool, tool: one }");
  const second = await bundle();
  expect((await load(second.file)).handler()).toContain('"id":"b"');
  const secondAt = statSync(second.file).mtimeMs;
  files("one more", "  - { id: b, kind: tool, tool: one }");
  await bundle();
  expect(statSync(second.file).mtimeMs).toBeGreaterThan(secondAt);

  files("one", "  - { id: b, kind: tool, tool: two }");
  await expect(bundle()).rejects.toThrow(/WORKFLOW\.md:7:\d+ WF030 No tool is named "two"/);
  const { sources } = JSON.parse(readFileSync(join(folder, "out", "only.cache.json"), "utf8")) as {
    sources: string[];
  };
  for (const own of [
    "lib/workflow-files/compile.ts",
    "lib/workflow-files/steps.ts",
    "lib/workflows/manifest.ts",
  ]) {
    expect(sources).toContain(own);
  }
  expect(sources.map((path) => basename(path))).toContain("names.ts");
});
