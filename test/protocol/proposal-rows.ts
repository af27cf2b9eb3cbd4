import type { Rules } from "./rules.ts";
import { replaced, type State } from "./state.ts";

/** The key of a proposal row: revision and sha, or revision alone. */
export const proposalKey = (rules: Rules, revision: number, sha: string): string =>
  rules.prop === "sha-key" ? `p${revision}:${sha}` : `p${revision}`;

/** The key of a steward's edited bytes. */
export const editedKey = (rules: Rules, revision: number, sha: string): string =>
  rules.edited === "sha-key" ? `e${revision}:${sha}` : `e${revision}`;

/** The row under this key as `sha@base`, or null. */
export function proposalAt(s: State, run: number, key: string): string | null {
  const row = s.proposals[run]!.find((x) => x.startsWith(key + "="));
  return row ? row.slice(key.length + 1) : null;
}

/** The sha of a row written as `sha@base`. */
export const shaOf = (row: string): string => row.split("@")[0]!;

/** Puts a row, over another of the same key. */
export const putProposal = (s: State, run: number, key: string, row: string): State => ({
  ...s,
  proposals: replaced(
    s.proposals,
    run,
    [...s.proposals[run]!.filter((x) => !x.startsWith(key + "=")), `${key}=${row}`].sort(),
  ),
});
