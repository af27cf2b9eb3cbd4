import type { FileStep } from "./manifest.ts";

/** What a step of a workflow file does, in a few words: what it calls, over what, how many at a time. */
export function fileStepText(step: FileStep): string {
  switch (step.kind) {
    case "tool":
      return `calls ${step.tool}`;
    case "transform":
      return `computes ${step.transform}`;
    case "agent":
      return step.model === null ? "asks a model" : `asks ${step.model}`;
    case "map": {
      const each = step.steps.map((nested) => fileStepText(nested)).join(", then ");
      const failing = step.onError === "collect" ? "; one that fails does not stop the others" : "";
      return `for each of ${step.over}, ${step.parallelism} at a time: ${each}${failing}`;
    }
  }
}
