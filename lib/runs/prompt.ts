import { AppError } from "../core/errors.ts";
import type { SourceText } from "../core/source.ts";
import { readMemoVersion } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import type { PromptPart } from "../model/model.ts";
import type { Item } from "../queue/item.ts";
import type { ProcessStep } from "../workflows/manifest.ts";
import { parseReference, renderInstructions, type Scope } from "../workflows/template.ts";
import { readPinned } from "./include.ts";
import type { LoadRecord, StepRow } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunStore } from "./store.ts";

const ORDER = ["gate", "hook", "trigger", "search", "source"] as const;

export type Prompt = { instructions: string; parts: PromptPart[] };

type Deps = { memos: MemoStore; runs: Pick<RunStore, "readPart"> };

/**
 * What one process step shows the model: gates, hook, triggers, hits, what sources brought in, payload, then the
 * outputs it refers to. Stable first, so that a provider's cache helps. The payload is the caller's text, byte for
 * byte.
 */
export async function buildPrompt(
  deps: Deps,
  run: Pick<Run, "ownerUid" | "runId">,
  step: ProcessStep,
  given: {
    loads: readonly LoadRecord[];
    item: Pick<Item, "payload">;
    scope: Scope;
    finished: ReadonlyMap<string, StepRow>;
  },
): Promise<Prompt> {
  const through = stepGoneThrough(step);
  const loaded = given.loads.filter(({ loaded: isLoaded, dataOf }) => {
    return isLoaded && (dataOf === undefined || dataOf !== through);
  });
  const shownAbove = new Set(given.loads.map(({ dataOf }) => dataOf));
  const ordered = ORDER.flatMap((kind) => loaded.filter((load) => load.class === kind));
  const pinned = new Map<string, Promise<SourceText[]>>();
  const loads = await Promise.all(
    ordered.map((load) => {
      if (load.part === undefined) return memoPart(deps, run.ownerUid, load);
      const texts = pinned.get(load.part) ?? readPinned(deps.runs, run.runId, load.part);
      pinned.set(load.part, texts);
      return sourcePart(load, texts);
    }),
  );
  const { text, usedSteps } = renderInstructions(step.instructions, given.scope);
  const outputs = [...new Set([...usedSteps, ...step.uses])].flatMap((stepId): PromptPart[] => {
    const row = given.finished.get(stepId);
    // A context step has no text of its own: what it brought in stands above.
    return row?.text && !shownAbove.has(stepId) ? [{ kind: "step", title: stepId, text: row.text }] : [];
  });
  const payload: PromptPart = { kind: "payload", title: "payload", text: given.item.payload };
  return { instructions: text, parts: [...loads, payload, ...outputs] };
}

/** The step whose output a `For each` goes through: of its data each question has one element, and not all of it. */
function stepGoneThrough({ forEach }: ProcessStep): string | undefined {
  const reference = forEach ? parseReference(forEach.path) : undefined;
  return reference?.root === "steps" ? reference.id : undefined;
}

/** The text of the version that was pinned, also when the memo has changed or is gone since. */
async function memoPart(deps: Pick<Deps, "memos">, ownerUid: string, load: LoadRecord): Promise<PromptPart> {
  const { memoId = "", contentVersion = 0, ref, score } = load;
  const memo = await readMemoVersion(deps, ownerUid, memoId, contentVersion);
  if (!memo) {
    throw new AppError("gate_unavailable", `version ${contentVersion} of [[${ref}]] cannot be read`, { ref });
  }
  return {
    kind: load.class === "source" ? "search" : load.class,
    title: memo.title,
    text: memo.body,
    memoId,
    contentVersion,
    ...(score !== undefined && { score }),
  };
}

async function sourcePart(load: LoadRecord, texts: Promise<SourceText[]>): Promise<PromptPart> {
  const found = (await texts)[load.nth ?? 0];
  if (!found) throw new AppError("internal", `${load.ref} is not in ${load.part}`, {});
  const { title, text, memoId, contentVersion } = found;
  return {
    kind: "search",
    title,
    text,
    ...(memoId !== undefined && { memoId }),
    ...(contentVersion !== undefined && { contentVersion }),
  };
}
