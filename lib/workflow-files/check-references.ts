import { nearest } from "../core/text.ts";
import { didYouMean, listed } from "../workflows/diagnostics.ts";
import { readReference } from "./reference.ts";
import type { FileReport } from "./report.ts";
import type { Mention, StepDraft } from "./steps.ts";

type Sight = {
  /** Steps that are done before, in order. */
  done: readonly string[];
  /** All others of the file that have a name of their own here. */
  later: readonly string[];
  inputs: readonly string[];
  inMap: boolean;
};

/** Two steps of one name, in a map or outside, would be one reference. */
export function checkIds(drafts: readonly StepDraft[], report: FileReport): void {
  const seen = new Set<string>();
  for (const draft of drafts.flatMap((each) => [each, ...each.nested])) {
    if (seen.has(draft.id))
      report.error("WF021", draft.span, `Two steps are named "${draft.id}"`, "Rename one.");
    seen.add(draft.id);
  }
}

/** Every reference leads to an input or to an earlier step; those of an item are seen within its map alone. */
export function checkReferences(
  drafts: readonly StepDraft[],
  inputs: readonly string[],
  result: readonly Mention[],
  report: FileReport,
): void {
  const ids = drafts.map(({ id }) => id);
  for (const [index, draft] of drafts.entries()) {
    const sight: Sight = { done: ids.slice(0, index), later: ids.slice(index), inputs, inMap: false };
    for (const mention of draft.mentions) check(mention, sight, report);
    const nested = draft.nested.map(({ id }) => id);
    for (const [at, inner] of draft.nested.entries()) {
      const done = [...sight.done, ...nested.slice(0, at)];
      const later = [...sight.later, ...nested.slice(at)];
      for (const mention of inner.mentions) check(mention, { done, later, inputs, inMap: true }, report);
    }
  }
  for (const mention of result) check(mention, { done: ids, later: [], inputs, inMap: false }, report);
}

function check({ text, span }: Mention, { done, later, inputs, inMap }: Sight, report: FileReport): void {
  const reference = readReference(text);
  switch (reference?.root) {
    case undefined:
      report.error("WF040", span, `"${text}" is not a reference`, FORM);
      return;
    case "index":
    case "item":
      if (!inMap) report.error("WF043", span, `"$${reference.root}" is there within a map only`, FORM);
      return;
    case "input": {
      const [name] = reference.path;
      if (name === undefined || inputs.includes(name)) return;
      const hint = didYouMean(nearest(name, inputs)) ?? listed("Inputs", inputs);
      report.error("WF044", span, `No input is named "${name}"`, hint);
      return;
    }
    case "steps": {
      const { stepId } = reference;
      if (done.includes(stepId)) return;
      if (later.includes(stepId)) {
        report.error(
          "WF042",
          span,
          `"${stepId}" is not done before this step`,
          "Refer only to earlier steps.",
        );
        return;
      }
      const hint = didYouMean(nearest(stepId, done)) ?? listed("Steps before", done);
      report.error("WF041", span, `No step is named "${stepId}" here`, hint);
    }
  }
}

const FORM =
  "References are $input.<name>, $steps.<id>.<name>, and in a map $item.<name> and $index; $$ begins a text.";
