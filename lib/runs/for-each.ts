import { utf8Bytes } from "../core/bytes.ts";
import { AppError, hasCode } from "../core/errors.ts";
import { inParallel } from "../core/in-parallel.ts";
import { MEMO_TEXT_MAX_BYTES } from "../memos/memo.ts";
import { addCost, sumUsage } from "../model/usage.ts";
import type { PromptPart } from "../model/model.ts";
import type { ProcessStep } from "../workflows/manifest.ts";
import { askModel, newTrail } from "./ask-model.ts";
import { elementsOf } from "./elements.ts";
import { RESERVE_MS } from "./execute-limits.ts";
import { stillOurs } from "./fence.ts";
import { noteSpend } from "./note-spend.ts";
import { elementPart } from "./parts.ts";
import type { ForEachRecord, StepRow } from "./plan.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import { spentOfRow } from "./spent.ts";
import { asking, rowOfTrail, type StepWork } from "./step-work.ts";
import type { PartRow } from "./store.ts";

type Bounds = NonNullable<ProcessStep["forEach"]>;

/** One element's answer. `code` says why it has none. */
type ElementRow = PartRow &
  Pick<
    StepRow,
    "usage" | "costMicroUsd" | "model" | "attempts" | "tools" | "startedAt" | "price" | "pricedAs"
  > & {
    element: number;
    code: string | null;
    message: string | null;
  };

/** Faults of one answer: the other elements do not suffer for it. */
export const OF_ONE_ANSWER = ["schema_mismatch", "model_refused", "output_too_large"] as const;

/**
 * One question for each element of a list, at most `max` and `parallel` at a time. Each answer is a row of its own
 * before the step's, so a repeat asks only for what is missing; an answer that cannot be used becomes `{error}`.
 * Undefined when the invocation's time does not suffice for the rest.
 */
export async function askForEach(deps: RunnerDeps, work: StepWork, bounds: Bounds) {
  const all = elementsOf(bounds.path, work);
  const elements = all.slice(0, bounds.max);
  const known = new Map((work.elements as ElementRow[]).map((row) => [row.element, row]));
  const needMs = work.question.timeoutMs + RESERVE_MS;
  let isLate = false;
  const answers = await inParallel(elements, bounds.parallel, async (text, element) => {
    const left = known.get(element);
    isLate ||= !left && deps.remainingMs() < needMs;
    if (!left && isLate) return undefined;
    if (!left) await stillOurs(deps, work.run);
    const row = left ?? (await askElement(deps, work, { text, element, of: all.length }));
    const { day } = work.plan.manifest.policy.budget;
    await noteSpend(deps, work.run, row, { index: work.index, element, day });
    return row;
  });
  const rows = answers.filter((row) => row !== undefined);
  if (rows.length < elements.length) return undefined;
  return stepRow(work.step, rows, all.length);
}

async function askElement(
  deps: RunnerDeps,
  work: StepWork,
  { text, element, of }: { text: string; element: number; of: number },
): Promise<ElementRow> {
  const { run, index, question } = work;
  const part: PromptPart = { kind: "payload", title: `item ${element + 1} of ${of}`, text };
  const prompt = { ...question.prompt, parts: [...question.prompt.parts, part] };
  const trail = newTrail(question.pricing, deps.clock.now(), element);
  const fault = await asking(deps, work, trail, async () => {
    const asked = await askModel(deps, run, { ...question, prompt }, trail);
    if (asked.fault && !OF_ONE_ANSWER.some((code) => hasCode(asked.fault, code))) throw asked.fault;
    return asked.fault;
  });
  const row: ElementRow = {
    part: elementPart(index, run.revision, element, run.epoch),
    ...rowOfTrail(trail),
    element,
    code: fault?.code ?? null,
    message: fault?.message ?? null,
  };
  // What is too large to be used is too large to be kept.
  if (fault?.code === "output_too_large") row.text = "";
  return (await deps.runs.putPart(run.runId, row)).row as ElementRow;
}

function stepRow(step: ProcessStep, rows: readonly ElementRow[], elements: number) {
  const results = rows.map(({ text, code, message }) => {
    if (code !== null) return JSON.stringify({ error: { code, message } });
    return step.returns === "json" ? text : JSON.stringify(text);
  });
  const text = `[${results.join(",\n")}]`;
  const actual = utf8Bytes(text);
  if (actual > MEMO_TEXT_MAX_BYTES) {
    throw new AppError("output_too_large", `step ${step.id} gave ${actual} bytes of ${MEMO_TEXT_MAX_BYTES}`, {
      limit: MEMO_TEXT_MAX_BYTES,
      actual,
    });
  }
  const cut = elements - rows.length;
  const price = rows.at(-1)?.price;
  const forEach: ForEachRecord = {
    elements,
    asked: rows.length,
    cut,
    failed: rows.filter(({ code }) => code !== null).length,
    note: cut > 0 ? `${cut} elements past max ${rows.length} were not asked` : "every element was asked",
  };
  return {
    text,
    model: rows.at(-1)?.model ?? "",
    ...(price && { price }),
    stop: "end",
    usage: sumUsage(rows.map(({ usage }) => usage)),
    costMicroUsd: rows.reduce<number | null>((sum, row) => addCost(sum, row.costMicroUsd), 0),
    calls: rows.reduce((sum, row) => sum + spentOfRow(row).calls, 0),
    tools: rows.flatMap((row) => row.tools ?? []),
    forEach,
  };
}
