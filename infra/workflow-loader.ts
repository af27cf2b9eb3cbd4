import { readdirSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { WORKFLOW_FILE, workflowModule } from "./workflow-modules.ts";

/* `node --import ./infra/workflow-loader.ts`: for programs that load functions as they are, without the bundler. */

const LIB = resolve(import.meta.dirname, "../lib");
const files = readdirSync(LIB, { recursive: true, withFileTypes: true }).filter(
  ({ name }) => name === WORKFLOW_FILE,
);
// Before anything else is loaded: a hook cannot wait.
const modules = new Map(
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [pathToFileURL(file).href, await workflowModule(file).catch((error: unknown) => error)] as const;
    }),
  ),
);

registerHooks({
  load(url, context, nextLoad) {
    const source = modules.get(url);
    if (source === undefined) return nextLoad(url, context);
    // A file that does not compile is the fault of those alone that load it.
    if (typeof source !== "string") throw source;
    return { format: "module", source, shortCircuit: true };
  },
});
