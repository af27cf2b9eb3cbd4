import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";
import { WORKFLOW_FILE, workflowModule } from "./infra/workflow-modules.ts";

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

/** Workflow files as the bundler takes them: compiled. */
const compiledWorkflows = {
  name: "compiled-workflows",
  enforce: "pre",
  load: (id: string) => (id.endsWith(`/${WORKFLOW_FILE}`) ? workflowModule(id) : null),
} as const;

export default defineConfig({ plugins: [assetsAsText, compiledWorkflows] });
