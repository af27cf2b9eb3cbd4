import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";

/** Under this name nothing takes the text for a style sheet or a script. */
const MARK = "\0text:";

/** The page's style sheet and script as texts, which is how the bundler takes them. */
const assetsAsText = {
  name: "assets-as-text",
  enforce: "pre",
  resolveId(source: string, importer?: string) {
    if (!importer || !/^\.\/assets\/[\w-]+\.(?:css|js)$/.test(source)) return null;
    return `${MARK}${join(dirname(importer), source)}.text`;
  },
  load(id: string) {
    if (!id.startsWith(MARK)) return null;
    const file = id.slice(MARK.length, -".text".length);
    return `export default ${JSON.stringify(readFileSync(file, "utf8"))}`;
  },
} as const;

export default defineConfig({ plugins: [assetsAsText] });
