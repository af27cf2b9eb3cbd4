import { sha256, type Sha256 } from "../core/bytes.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import type { ChangeSize } from "./change-size.ts";
import type { GuardResult } from "./guards.ts";

/** Where a proposal would land. `base` is the version the draft was frozen on; nothing lands on another. */
export type ProposalTarget =
  | { kind: "create"; memoId: string; visibility: "unlisted" | "private" | "listed" }
  | { kind: "update"; memoId: string; base: number };

/** What the move guard compares when the proposal lands: a memo as the producer of the item saw it. */
export type ProposalSource = { memoId: string; contentHash?: string; notesHash?: string };

/** The frozen bytes that an output step would write, and where; a decision names their sha. */
export type Proposal = {
  stepId: string;
  revision: number;
  destination: "memo" | "reply" | "worktree";
  target: ProposalTarget;
  /** The zone whose text is replaced; the other one stays. */
  zone: "body" | "notes";
  title: string;
  text: string;
  tags: { body: readonly string[]; notes: readonly string[] };
  source: ProposalSource | null;
};

/** A proposal with its sha, what the guards said of it, and its size against what it was made on. */
export type FrozenProposal = Proposal & {
  sha256: Sha256;
  guards: readonly GuardResult[];
  size?: ChangeSize;
};

/** The sha over everything that would be written and where: text, title, tags, target and base. */
export const proposalSha = (proposal: Proposal): Sha256 => sha256(canonicalJson(proposal));
