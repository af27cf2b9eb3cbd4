import type { Registered, RegisteredTool } from "../../lib/core/registered.ts";
import type { BundledWorkflow } from "../../lib/workflow-files/bundled.ts";
import { compileWorkflowFile } from "../../lib/workflow-files/compile.ts";
import type { Manifest } from "../../lib/workflows/manifest.ts";

/** A workflow file of these steps and further fields, as YAML. */
export function workflowFile({ steps, more = "" }: { steps: string; more?: string }): string {
  return `---
name: A file
id: a-file
description: Does one thing.
version: 1.0.0
${more}${more === "" || more.endsWith("\n") ? "" : "\n"}steps:
${steps}
---
Prose for people.
`;
}

export const FILE_ID = "memo_a-file";

/** Its manifest; throws with the diagnostics of a file that does not compile. */
export function compiledFile(
  text: string,
  names: { tools?: string[]; transforms?: string[] } = {},
): Manifest {
  const { tools = [], transforms = [] } = names;
  const compiled = compileWorkflowFile(text, { workflowId: FILE_ID, tools, transforms });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics, null, 1));
  return compiled.manifest;
}

/** The file as one that comes with the project, with what its steps may call. */
export function bundledFile(
  parts: Parameters<typeof workflowFile>[0],
  registered: Registered,
  peopleOnly: readonly string[] = [],
): { bundled: BundledWorkflow[]; registered: Registered } {
  const text = workflowFile(parts);
  const manifest = compiledFile(text, {
    tools: Object.keys(registered.tools),
    transforms: Object.keys(registered.transforms),
  });
  return { bundled: [{ workflowId: FILE_ID, manifest, text, peopleOnly }], registered };
}

/** A tool that does this. */
export const toolOf = (name: string, call: RegisteredTool["call"]): RegisteredTool => ({ name, call });
