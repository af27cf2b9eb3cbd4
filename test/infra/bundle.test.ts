import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { bundleFile } from "../../infra/bundle.ts";

const folder = mkdtempSync(join(tmpdir(), "bundle-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = join(folder, "handler.ts");
const outDir = join(folder, "out");
const load = async (file: string) =>
  (await import(`${pathToFileURL(file).href}?${statSync(file).mtimeMs}`)) as { handler: () => string };

test("bundles a handler once, and again only when a source has changed", async () => {
  writeFileSync(join(folder, "word.ts"), 'export const word: string = "first";');
  writeFileSync(source, 'import { word } from "./word.ts";\nexport const handler = () => word;');
  const first = await bundleFile(source, outDir);
  expect((await load(first.file)).handler()).toBe("first");
  const madeAt = statSync(first.file).mtimeMs;

  const second = await bundleFile(source, outDir);
  expect(statSync(second.file).mtimeMs).toBe(madeAt);
  expect(second.metafile).toEqual(first.metafile);

  writeFileSync(join(folder, "word.ts"), 'export const word: string = "second";');
  const third = await bundleFile(source, outDir);
  expect((await load(third.file)).handler()).toBe("second");
});

test("bundles again when the bundle was deleted and its record was not", async () => {
  const { file } = await bundleFile(source, outDir);
  rmSync(file);
  await bundleFile(source, outDir);
  expect(statSync(file).size).toBeGreaterThan(0);
});
