import { AppError } from "../core/errors.ts";
import { readMemoVersion } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import type { PromptPart } from "../model/model.ts";
import type { Item } from "../queue/item.ts";
import type { ProcessStep } from "../workflows/manifest.ts";
import { renderInstructions, type Scope } from "../workflows/template.ts";
import type { LoadRecord, StepRow } from "./plan.ts";

const ORDER = ["gate", "hook", "trigger", "search"] as const;

export type Prompt = { instructions: string; parts: PromptPart[] };

/**
 * What one process step shows the model: gates, hook, triggers, hits, payload, then the outputs it refers to.
 * Stable first, so that a provider's cache helps. The payload is the caller's text, byte for byte.
 */
export async function buildPrompt(
  deps: { memos: MemoStore },
  ownerUid: string,
  step: ProcessStep,
  given: { loads: readonly LoadRecord[]; item: Item; scope: Scope; finished: ReadonlyMap<string, StepRow> },
): Promise<Prompt> {
  const loaded = given.loads.filter(({ loaded: isLoaded }) => isLoaded);
  const ordered = ORDER.flatMap((kind) => loaded.filter((load) => load.class === kind));
  const memos = await Promise.all(ordered.map((load) => memoPart(deps, ownerUid, load)));
  const { text, usedSteps } = renderInstructions(step.instructions, given.scope);
  const outputs = [...new Set([...usedSteps, ...step.uses])].flatMap((stepId): PromptPart[] => {
    const row = given.finished.get(stepId);
    return row ? [{ kind: "step", title: stepId, text: row.text }] : [];
  });
  const payload: PromptPart = { kind: "payload", title: "payload", text: given.item.payload };
  return { instructions: text, parts: [...memos, payload, ...outputs] };
}

/** The text of the version that was pinned, also when the memo has changed or is gone since. */
async function memoPart(deps: { memos: MemoStore }, ownerUid: string, load: LoadRecord): Promise<PromptPart> {
  const { memoId = "", contentVersion = 0, ref, score } = load;
  const memo = await readMemoVersion(deps, ownerUid, memoId, contentVersion);
  if (!memo) {
    throw new AppError("gate_unavailable", `version ${contentVersion} of [[${ref}]] cannot be read`, { ref });
  }
  return {
    kind: load.class,
    title: memo.title,
    text: memo.body,
    memoId,
    contentVersion,
    ...(score !== undefined && { score }),
  };
}
