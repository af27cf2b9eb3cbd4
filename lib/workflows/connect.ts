import type { Span } from "../core/markdown.ts";
import { nearest } from "../core/text.ts";
import { didYouMean, listed, type Report } from "./diagnostics.ts";
import type { Token } from "./field.ts";
import { checkReferences } from "./references.ts";
import type { LoadDraft } from "./sections/load-contract.ts";
import type { PolicyDraft } from "./sections/policy.ts";
import { AFTER_STEPS, type Mention, type Site } from "./sections/section.ts";
import type { StepDraft, StepsDraft } from "./sections/steps.ts";
import type { TriggerDraft } from "./sections/trigger.ts";
import { parseReference } from "./template.ts";

export type Parts = {
  trigger: TriggerDraft | null;
  loads: LoadDraft[];
  /** Null when the section is missing. */
  steps: (StepsDraft & { heading: Span }) | null;
  policy: PolicyDraft | null;
};

/** Checks what the sections say of each other, and fills in what a step uses without saying so. */
export function connect(parts: Parts, report: Report): void {
  const steps = parts.steps?.steps ?? [];
  const stepsKnown = (parts.steps?.whole ?? false) && steps.length > 0;
  const finder: StepFinder = { steps, complete: stepsKnown, report };
  parts.loads = parts.loads.filter((load) => checkLoad(load, finder));
  checkNamedSteps(finder);
  fillUses(steps);
  const sites = sitesOf(parts);
  checkReferences(
    sites,
    {
      steps,
      stepsComplete: stepsKnown,
      inputs: parts.trigger?.inputsComplete ? parts.trigger.inputs : [],
      invoke: parts.trigger?.invoke ?? [],
    },
    report,
  );
  if (parts.steps?.whole) {
    checkShape(parts.steps, report);
    reportUnused(steps, sites, report);
  }
  if (parts.policy) checkPolicy(parts.policy, parts, report);
}

type StepFinder = { steps: readonly StepDraft[]; complete: boolean; report: Report };

const at =
  (step: number) =>
  (mention: Mention): Site => ({ ...mention, step });

function sitesOf({ loads, steps, policy }: Parts): Site[] {
  const drafts = steps?.steps ?? [];
  const loadStep = Math.max(
    0,
    drafts.findIndex(({ step }) => step.kind === "context" || step.kind === "process"),
  );
  const stepOf = (token: Token | null): number => {
    const index = token ? drafts.findIndex(({ step }) => step.id === token.text) : -1;
    return index === -1 ? loadStep : index;
  };
  return [
    ...loads.flatMap((load) => load.mentions.map(at(stepOf(load.at)))),
    ...drafts.flatMap((draft, index) => draft.mentions.map(at(index))),
    ...(policy?.mentions ?? []).map(at(AFTER_STEPS)),
    ...(policy?.keyMentions ?? []).map(at(0)),
  ];
}

/** False when the line names a step where nothing can be loaded. */
function checkLoad({ load, at }: LoadDraft, { steps, complete, report }: StepFinder): boolean {
  if (!at || !complete) return true;
  const step = steps.find((draft) => draft.step.id === at.text)?.step;
  const kinds = load.class === "hook" ? ["process"] : ["process", "context"];
  if (step && kinds.includes(step.kind)) return true;
  const ids = steps.filter((draft) => kinds.includes(draft.step.kind)).map((draft) => draft.step.id);
  const message = step ? `Nothing is loaded at step "${at.text}"` : `No step is named "${at.text}"`;
  report.error("MW204", at, message, {
    hint: didYouMean(nearest(at.text, ids)) ?? listed("Steps", ids),
  });
  return false;
}

function checkNamedSteps({ steps, complete, report }: StepFinder): void {
  for (const [index, { options }] of steps.entries()) {
    for (const token of [...(options.uses ?? []), ...(options.from ? [options.from] : [])]) {
      const named = steps.findIndex(({ step }) => step.id === token.text);
      if (named === -1) {
        if (!complete) continue;
        const ids = steps.slice(0, index).map(({ step }) => step.id);
        report.error("MW322", token, `No step is named "${token.text}"`, {
          hint: didYouMean(nearest(token.text, ids)) ?? listed("Steps", ids),
        });
      } else if (named >= index) {
        report.error("MW323", token, `"${token.text}" runs after this step`, {
          hint: "Refer only to earlier steps.",
        });
      } else if (token === options.from && steps[named]?.step.kind !== "process") {
        report.error("MW322", token, `"${token.text}" is not a process step`, {
          hint: "Name a process step.",
        });
      }
    }
  }
}

/** A process step that names no earlier step works on the output of the process step before it. */
function fillUses(steps: readonly StepDraft[]): void {
  let previous: string | undefined;
  for (const { step, mentions, options } of steps) {
    if (step.kind !== "process") continue;
    const namesSteps = mentions.some((mention) => parseReference(mention.inner)?.root === "steps");
    if (previous !== undefined && !options.uses && !namesSteps) step.uses = [previous];
    previous = step.id;
  }
}

const LIMITS = { context: 3, process: 8 } as const;

function checkShape({ steps, heading }: StepsDraft & { heading: Span }, report: Report): void {
  const [first, ...rest] = steps;
  if (!first) {
    report.error("MW304", heading, "Steps is empty; the first step must be a trigger", {
      hint: "1. **trigger** `start` What a row is.",
    });
    return;
  }
  if (first.step.kind !== "trigger") {
    report.error("MW304", first.idSpan, "First step must be a trigger", {
      hint: "1. **trigger** `start` What a row is.",
    });
  }
  for (const draft of rest.filter(({ step }) => step.kind === "trigger")) {
    report.error("MW304", draft.idSpan, "Only the first step is a trigger", { hint: "Remove this one." });
  }
  const outputs = steps.filter(({ step }) => step.kind === "output");
  const output = outputs.at(-1);
  if (!output || outputs.length > 1) {
    report.error(
      "MW305",
      outputs[1]?.idSpan ?? heading,
      `There must be exactly one output (found ${outputs.length})`,
      {
        hint: "End with one output step.",
      },
    );
  } else if (steps.at(-1) !== output) {
    report.error("MW306", output.idSpan, "Output must come last", { hint: "Move it to the end." });
  }
  for (const [kind, most] of Object.entries(LIMITS)) {
    const surplus = steps.filter(({ step }) => step.kind === kind)[most];
    if (surplus)
      report.error("MW309", surplus.idSpan, `There are at most ${most} ${kind} steps`, {
        hint: "Join steps.",
      });
  }
  if (!steps.some(({ step }) => step.kind === "process")) {
    report.error("MW307", heading, "There is no process step", {
      hint: "Add **process** `draft` What to do.",
    });
  }
}

function reportUnused(steps: readonly StepDraft[], sites: readonly Site[], report: Report): void {
  const processes = steps.filter(({ step }) => step.kind === "process");
  const from = steps.find(({ step }) => step.kind === "output")?.options.from?.text;
  const used = new Set<string | undefined>([from ?? processes.at(-1)?.step.id]);
  for (const { step } of processes) if (step.kind === "process") for (const id of step.uses) used.add(id);
  for (const { inner } of sites) {
    const reference = parseReference(inner);
    if (reference?.root === "steps") used.add(reference.id);
  }
  for (const { step, idSpan } of processes) {
    if (used.has(step.id)) continue;
    report.warn("MW308", idSpan, `Step "${step.id}" is never used`, {
      hint: `Refer to {{steps.${step.id}}} or remove it.`,
    });
  }
}

function checkPolicy({ policy, spans }: PolicyDraft, { trigger, steps }: Parts, report: Report): void {
  const output = steps?.steps.map(({ step }) => step).find((step) => step.kind === "output");
  const { target, approval, destination } = policy;
  if (target.kind === "payload" && spans.target && trigger?.inputsComplete) {
    const isMemo = trigger.inputs.some(({ name, type }) => name === target.path && type === "memo");
    const isFilled = target.path === "memoId" && trigger.invoke.some(({ kind }) => kind === "memo");
    if (!isMemo && !isFilled) {
      report.error("MW418", spans.target, `Target \`payload.${target.path}\` is not a declared memo input`, {
        hint: `Add "- **Input** \`${target.path}\` memo" to Trigger.`,
      });
    }
  }
  const replaces =
    output?.kind === "output" && (output.write ?? "replace") === "replace" && output.action === null;
  if (
    approval.mode === "auto" &&
    target.kind !== "new" &&
    destination === "memo" &&
    replaces &&
    spans.approval
  ) {
    report.warn("MW417", spans.approval, "Auto approval replaces a memo a person edits", {
      hint: "Use `hold`, or Write `append`.",
    });
  }
  if (
    destination === "reply" &&
    spans.destination &&
    trigger?.invoke.some(({ kind }) => kind === "schedule")
  ) {
    report.warn("MW420", spans.destination, '"reply" from a schedule has nowhere to reply', {
      hint: "Use `memo`, or start it by `command`.",
    });
  }
}
