import { noGateChange, noSecrets, type GuardResult } from "./guards.ts";
import { maxChange } from "./max-change.ts";
import type { Proposal } from "./proposal.ts";
import { keepHeadings, linksResolve } from "./text-guards.ts";

/** What guards look at beside the proposal. */
export type GuardFacts = {
  /** The text that would be replaced; null for a new memo. */
  base: string | null;
  gateMemoIds(): Promise<ReadonlySet<string>>;
  hasMemo(ref: string): Promise<boolean>;
};

/**
 * What the guards say of a proposal: those that the policy names, and two that no policy can leave out. A secret
 * is looked for always, and a memo that carries rules never changes by itself.
 */
export async function runGuards(
  wanted: readonly { name: string; value: string | null }[],
  proposal: Proposal,
  facts: GuardFacts,
): Promise<GuardResult[]> {
  const results = [noSecrets(proposal)];
  for (const { name, value } of wanted) {
    if (name === "max-change") results.push(maxChange(facts.base, proposal.text, value));
    if (name === "keep-headings") results.push(keepHeadings(facts.base, proposal.text));
    if (name === "links-resolve") results.push(await linksResolve(proposal, facts.hasMemo));
  }
  if (proposal.target.kind === "update") results.push(noGateChange(proposal, await facts.gateMemoIds()));
  return results;
}
