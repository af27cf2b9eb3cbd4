import { rmSync } from "node:fs";
import { join } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import type { FunctionDeclaration, FunctionName } from "../topology.ts";

/** Where a function's code is, and the handler inside it; tests give code that was never built. */
export type HandlerCode = (
  name: FunctionName,
  declaration: FunctionDeclaration,
) => { code: Code; handler: string };

/** Bundles every handler with its dependencies, the AWS SDK too: the runtime's own copy floats. */
export function bundledCode(rootDir: string): HandlerCode {
  return (name, declaration) => {
    const outDir = join(rootDir, ".bundles", "aws", name);
    rmSync(outDir, { recursive: true, force: true });
    buildSync({
      absWorkingDir: rootDir,
      entryPoints: [declaration.file],
      outfile: join(outDir, "index.mjs"),
      bundle: true,
      platform: "node",
      target: "node24",
      format: "esm",
      minify: true,
      sourcemap: true,
      mainFields: ["module", "main"],
      // Dependencies in CommonJS call require, which an ES module does not have.
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
      logLevel: "error",
    });
    return { code: Code.fromAsset(outDir), handler: "index.handler" };
  };
}
