import type * as z from "zod";
import { nearest } from "../core/text.ts";
import { didYouMean, listed, type Report } from "./diagnostics.ts";
import type { Input, Invoke } from "./manifest.ts";
import type { StepDraft } from "./sections/steps.ts";
import type { Site } from "./sections/section.ts";
import { MEMO_VALUES } from "./payload.ts";
import type { Path } from "./path.ts";
import { RUN_VALUES, parseReference, type Reference } from "./template.ts";

export type Known = {
  steps: readonly StepDraft[];
  /** False when a step could not be read: a name may then be that step's. */
  stepsComplete: boolean;
  inputs: readonly Input[];
  invoke: readonly Invoke[];
};

/** Checks every reference and condition path against what it can see. */
export function checkReferences(sites: readonly Site[], known: Known, report: Report): void {
  for (const site of sites) checkSite(site, known, report);
}

function checkSite(site: Site, known: Known, report: Report): void {
  const reference = parseReference(site.inner);
  if (!reference) {
    report.error("MW320", site.span, `"{{${site.inner.trim()}}}" is not allowed`, {
      hint: "Only payload., steps. and run.",
    });
  } else if (reference.root === "run") {
    if (RUN_VALUES.some((name) => name === reference.name)) return;
    report.error("MW324", site.span, `"run.${reference.name}" is not a run value`, {
      hint: listed("Run values", RUN_VALUES),
    });
  } else if (reference.root === "payload") {
    checkInput(String(reference.path[0]), site, known, report);
  } else {
    checkStep(reference, site, known, report);
  }
}

function checkInput(name: string, site: Site, { inputs, invoke }: Known, report: Report): void {
  // Without declared Inputs the payload is free: nothing says what is in it.
  if (inputs.length === 0) return;
  const filled = invoke.some(({ kind }) => kind === "memo") ? MEMO_VALUES : [];
  const names = [...inputs.map((input) => input.name), ...filled];
  if (names.includes(name)) return;
  report.warn("MW321", site.span, `No Input is named "${name}"`, {
    hint: didYouMean(nearest(name, names)) ?? listed("Inputs", names),
  });
}

function checkStep(
  { id, path }: Extract<Reference, { root: "steps" }>,
  site: Site,
  { steps, stepsComplete }: Known,
  report: Report,
): void {
  const index = steps.findIndex(({ step }) => step.id === id);
  const step = steps[index]?.step;
  if (!step) {
    if (!stepsComplete) return;
    const ids = steps.map((draft) => draft.step.id);
    report.error("MW322", site.span, `No step is named "${id}"`, {
      hint: didYouMean(nearest(id, ids)) ?? listed("Steps", ids),
    });
  } else if (index >= site.step) {
    const message = index === site.step ? `"${id}" is this step` : `"${id}" runs after this step`;
    report.error("MW323", site.span, message, { hint: "Refer only to earlier steps." });
  } else if (path.length > 0 && step.kind === "process" && step.returns !== "json") {
    report.error("MW325", site.span, `steps.${id} returns ${step.returns}, it has no fields`, {
      hint: "Add Returns `json`.",
    });
  } else if (step.kind === "process" && step.schema && !step.forEach) {
    const lost = unnamedIn(step.schema, path);
    if (!lost) return;
    report.warn("MW326", site.span, `The schema of "${id}" names no "${lost.name}"`, {
      hint: didYouMean(nearest(lost.name, lost.names)) ?? listed("Names there", lost.names),
    });
  }
}

type Schema = z.core.util.JSONType;

/** The first name of a path that a schema does not have, where the schema says what it has. */
function unnamedIn(schema: Schema, path: Path): { name: string; names: string[] } | undefined {
  let current: Schema | undefined = schema;
  for (const part of path) {
    if (!isObject(current)) return undefined;
    if (typeof part === "number") {
      current = current["items"];
      continue;
    }
    const { properties }: { properties?: Schema } = current;
    if (!isObject(properties)) return undefined;
    if (!Object.hasOwn(properties, part)) return { name: part, names: Object.keys(properties) };
    current = properties[part];
  }
  return undefined;
}

const isObject = (value: Schema | undefined): value is Record<string, Schema> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
