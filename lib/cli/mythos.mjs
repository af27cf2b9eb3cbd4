#!/usr/bin/env node
// Runs the sources as they are: a Node that strips types does it here, an older one starts the project's own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
const main = new URL("main.ts", import.meta.url);

if (major > 22 || (major === 22 && minor >= 18)) {
  // Stripping types again at every call would be most of a short command.
  module.enableCompileCache?.();
  await import(main.href);
} else {
  const own = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));
  if (existsSync(own)) {
    const child = spawn(own, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
    // The terminal sends it to both; the child decides when it ends.
    process.on("SIGINT", () => {});
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("exit", (code) => process.exit(code ?? 1));
  } else {
    process.stderr.write(
      `Node 22.18 or newer is needed; this is ${process.versions.node}. Run "npm ci" with optional dependencies: it brings Node 24.\n`,
    );
    process.exitCode = 1;
  }
}
