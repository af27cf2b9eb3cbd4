import { expect, test } from "vitest";
import { REGISTRY } from "../../../lib/intake/workflow-library.ts";
import { SOURCES } from "../../../lib/sources/sources.ts";
import { READ_TOOLS } from "../../../lib/tools/read-tools.ts";

test("what compiles is what runs: the registry names exactly the sources and tools that there are", () => {
  expect([...REGISTRY.sources].toSorted()).toEqual([...SOURCES].toSorted());
  expect([...(REGISTRY.readTools ?? [])].toSorted()).toEqual([...READ_TOOLS].toSorted());
});
