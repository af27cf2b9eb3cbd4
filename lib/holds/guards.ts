import type { Proposal } from "./proposal.ts";
import { secretIn } from "./secret-shapes.ts";

/** What a guard said: a failed one is shown on the hold, and turns an automatic approval into a hold. */
export type GuardResult = { guard: string; passed: boolean; message: string };

/**
 * Looks for credentials in everything that would be written: title, text and tags. Says what kind was found and
 * where, never the text.
 */
export function noSecrets({ title, text, tags }: Pick<Proposal, "title" | "text" | "tags">): GuardResult {
  for (const [where, line] of linesOf(title, text, [...tags.body, ...tags.notes])) {
    const what = secretIn(line);
    if (what) return { guard: "no-secrets", passed: false, message: `${where} looks like ${what}` };
  }
  return { guard: "no-secrets", passed: true, message: "no credentials found" };
}

function* linesOf(title: string, text: string, tags: readonly string[]): Generator<[string, string]> {
  yield ["the title", title];
  for (const [index, line] of text.split("\n").entries()) yield [`line ${index + 1}`, line];
  for (const tag of tags) yield ["a tag", tag];
}

/** A memo that workflows load as a gate carries their rules: a change of it always waits for a person. */
export function noGateChange(
  proposal: Pick<Proposal, "target">,
  gateMemoIds: ReadonlySet<string>,
): GuardResult {
  const { target } = proposal;
  const passed = target.kind === "create" || !gateMemoIds.has(target.memoId);
  const message = passed ? "no workflow loads the target as a gate" : "a workflow loads the target as a gate";
  return { guard: "no-gate-change", passed, message };
}
