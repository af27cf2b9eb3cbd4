import { foldWhitespace, truncate } from "../core/text.ts";
import type { Proposal } from "./proposal.ts";

/** The longest title of a proposal. */
export const PROPOSED_TITLE_MAX = 200;

/** A version of the memo that a proposal would change, as far as a rebase looks at it. */
export type TargetVersion = {
  contentVersion: number;
  body: string;
  notes: string;
  tags: readonly string[];
  notesTags: readonly string[];
};

/** The proposal without what was said of it. */
export function bytesOf(proposal: Proposal): Proposal {
  const { stepId, revision, destination, target, zone, title, text, tags, source } = proposal;
  return { stepId, revision, destination, target, zone, title, text, tags, source };
}

/** The proposal with a person's text or title in it. */
export function edited(proposal: Proposal, by: { text?: string; title?: string }): Proposal {
  const title = by.title === undefined ? proposal.title : foldWhitespace(by.title);
  return { ...bytesOf(proposal), title, text: by.text ?? proposal.text };
}

/**
 * The proposal on another version of its target, with this text. Of the tags what it adds and takes away is done on
 * that version, so that no tag of a person is lost.
 */
export function ontoVersion(
  proposal: Proposal,
  base: TargetVersion | undefined,
  theirs: TargetVersion,
  text: string,
): Proposal {
  const { memoId } = proposal.target;
  return {
    ...bytesOf(proposal),
    target: { kind: "update", memoId, base: theirs.contentVersion },
    text,
    tags: {
      body: mergeTags(base?.tags ?? [], theirs.tags, proposal.tags.body),
      notes: mergeTags(base?.notesTags ?? [], theirs.notesTags, proposal.tags.notes),
    },
  };
}

function mergeTags(base: readonly string[], theirs: readonly string[], draft: readonly string[]): string[] {
  const dropped = new Set(base.filter((tag) => !draft.includes(tag)));
  const added = draft.filter((tag) => !base.includes(tag));
  return [...new Set([...theirs.filter((tag) => !dropped.has(tag)), ...added])];
}

/** The proposal as a memo of its own, under a title that tells it from the one it was for. */
export function besideTarget(
  proposal: Proposal,
  own: { memoId: string; visibility: "unlisted" | "private" | "listed"; theirs: number | null },
): Proposal {
  const { memoId, visibility, theirs } = own;
  const mark = theirs === null ? " (draft for a deleted memo)" : ` (draft beside version ${theirs})`;
  return {
    ...bytesOf(proposal),
    target: { kind: "create", memoId, visibility },
    // The text is what the new memo is about, whichever zone it was for.
    zone: "body",
    title: truncate(proposal.title, PROPOSED_TITLE_MAX - mark.length) + mark,
    tags: { body: proposal.zone === "body" ? proposal.tags.body : proposal.tags.notes, notes: [] },
    // It replaces nothing, so nothing has to stand still for it.
    source: null,
  };
}
