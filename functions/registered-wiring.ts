import type { Registered } from "../lib/core/registered.ts";
import { createReviewRegistry } from "../lib/library-review/registry.ts";
import { createStewardActions, createStewardRegistry } from "../lib/steward/registry.ts";
import { peopleOnlyOf } from "../lib/workflow-files/bundled.ts";
import { BUNDLED, BUNDLED_HASHES } from "./bundled-workflows.ts";
import { stewardPortsOf } from "./steward-tools-wiring.ts";
import type { libraryOf } from "./library-wiring.ts";
import type { Wiring } from "./wiring.ts";

/** What the steps of workflow files call, what output steps may do, and what the runner is to know of the files that come with the project. */
export function registeredOf(wiring: Wiring, library: ReturnType<typeof libraryOf>) {
  const ports = stewardPortsOf(wiring, library);
  return {
    registered: allOf([createStewardRegistry(ports), createReviewRegistry(library)]),
    actions: createStewardActions(ports),
    bundledHashes: BUNDLED_HASHES,
    peopleOnly: (workflowId: string) => peopleOnlyOf(BUNDLED, workflowId),
  };
}

/** Names of one file's tools are seen by every other: two of one name are a fault of the build. */
function allOf(registries: readonly Registered[]): Registered {
  const tools = Object.assign({}, ...registries.map((each) => each.tools)) as Registered["tools"];
  const transforms = Object.assign(
    {},
    ...registries.map((each) => each.transforms),
  ) as Registered["transforms"];
  const sum = (of: (each: Registered) => object): number =>
    registries.reduce((all, each) => all + Object.keys(of(each)).length, 0);
  const isOnce =
    Object.keys(tools).length === sum((each) => each.tools) &&
    Object.keys(transforms).length === sum((each) => each.transforms);
  if (!isOnce) throw new Error("two registries have a tool or a transform of one name");
  return { tools, transforms };
}
