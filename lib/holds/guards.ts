import type { Proposal } from "./proposal.ts";

/** What a guard said: a failed one is shown on the hold, and turns an automatic approval into a hold. */
export type GuardResult = { guard: string; passed: boolean; message: string };

/**
 * Shapes of credentials that have no place in a memo: cloud access keys, tokens of code hosts and chat
 * services, our own API keys, private keys. Prefixes are those the issuers document.
 */
const SECRETS: readonly { what: string; pattern: RegExp }[] = [
  { what: "an AWS access key id", pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { what: "a GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,})/ },
  { what: "a Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/ },
  { what: "an API key of this system", pattern: /\bmk_[A-Za-z0-9]+_[A-Za-z0-9_-]{20,}/ },
  { what: "a model provider's key", pattern: /\bsk-[A-Za-z0-9_-]{20,}/ },
  { what: "a private key", pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
];

/** Looks for credentials in a proposal's text and title; says what kind was found and where, never the text. */
export function noSecrets(proposal: Pick<Proposal, "title" | "text">): GuardResult {
  const lines = [proposal.title, ...proposal.text.split("\n")];
  for (const [index, line] of lines.entries()) {
    const found = SECRETS.find(({ pattern }) => pattern.test(line));
    if (!found) continue;
    const where = index === 0 ? "the title" : `line ${index}`;
    return { guard: "no-secrets", passed: false, message: `${where} looks like ${found.what}` };
  }
  return { guard: "no-secrets", passed: true, message: "no credentials found" };
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
