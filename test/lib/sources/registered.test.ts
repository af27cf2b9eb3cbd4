import { expect, test } from "vitest";
import { REGISTRY } from "../../../lib/intake/workflow-library.ts";
import { createStewardActions } from "../../../lib/steward/registry.ts";
import { SOURCES } from "../../../lib/sources/sources.ts";
import { READ_TOOLS } from "../../../lib/tools/read-tools.ts";

test("what compiles is what runs: the registry names exactly the sources, tools and actions that there are", () => {
  expect(REGISTRY.actions).toEqual(Object.keys(createStewardActions({} as never)));
  expect([...REGISTRY.sources].toSorted()).toEqual([...SOURCES].toSorted());
  expect([...(REGISTRY.readTools ?? [])].toSorted()).toEqual([...READ_TOOLS].toSorted());
});
