import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Lock = { packages: Record<string, { version?: string }> };

/** Versions of a package, wherever in the tree it is installed. */
function versionsOf(lock: Lock, name: string): Set<string | undefined> {
  const found = Object.entries(lock.packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
  return new Set(found.map(([, { version }]) => version));
}

test("F73: there is one version of @smithy/types, so that the types of one client fit another", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
  expect(versionsOf(lock, "@smithy/types").size).toBe(1);
  const twice = { ...lock.packages, "node_modules/a/node_modules/@smithy/types": { version: "1.0.0" } };
  expect(versionsOf({ packages: twice }, "@smithy/types").size).toBe(2);
});
