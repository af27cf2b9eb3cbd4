import type { Manifest } from "../workflows/manifest.ts";

/** A workflow that comes with the project: every library has it, and nobody can change it. */
export type BundledWorkflow = {
  /** `memo_<id of the file>`. */
  workflowId: `memo_${string}`;
  manifest: Manifest;
  /** The file, to be read. */
  text: string;
  /** Inputs that people and schedules alone may set to true. */
  peopleOnly: readonly string[];
};

/** The hash that runs of bundled workflows are compared with, by workflow. */
export const bundledHashes = (bundled: readonly BundledWorkflow[]): ReadonlyMap<string, string> =>
  new Map(bundled.map(({ workflowId, manifest }) => [workflowId, manifest.source.contentHash]));

/** The inputs of a workflow that people and schedules alone may set to true; none for one of a library's own. */
export const peopleOnlyOf = (bundled: readonly BundledWorkflow[], workflowId: string): readonly string[] =>
  bundled.find((each) => each.workflowId === workflowId)?.peopleOnly ?? [];
