import { isFileStep, type Manifest } from "../workflows/manifest.ts";
import { project } from "./reference.ts";

/** What a run answers: the file's `result` over the outputs of its steps, else the output of the last of them. */
export function resultOf(
  { result, steps }: Pick<Manifest, "result" | "steps">,
  outputs: Readonly<Record<string, unknown>>,
  input: unknown = {},
): unknown {
  if (result !== undefined) return project(result, { input, steps: outputs });
  const last = steps.findLast(isFileStep);
  return last && Object.hasOwn(outputs, last.id) ? outputs[last.id] : undefined;
}
