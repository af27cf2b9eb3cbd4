import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const TYPES = "test/contracts/openapi-types.d.ts";
/** Apart from the project's packages: the generator asks for an earlier compiler than ours. */
const PACKAGES = ["--package=openapi-typescript@7.13.0", "--package=typescript@5.9.3"];

/** The line by which the types say of which document they are; problem types are not in them. */
export function headOf(document: string): string {
  const { paths, components } = JSON.parse(document) as Record<string, unknown>;
  const digest = createHash("sha256").update(JSON.stringify({ paths, components }));
  return `// of openapi.json ${digest.digest("hex")}\n`;
}

/** `npm run openapi:client`: the types of a client, from openapi.json. */
if (import.meta.main) {
  const generator = ["exec", "--yes", ...PACKAGES, "--", "openapi-typescript", "openapi.json", "-o", TYPES];
  execFileSync("npm", generator, { stdio: "inherit" });
  writeFileSync(TYPES, headOf(readFileSync("openapi.json", "utf8")) + readFileSync(TYPES, "utf8"));
}
