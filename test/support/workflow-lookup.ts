import type { WorkflowLookup } from "../../lib/workflows/resolve.ts";

/** A library where each title has the id `M-<n>` in the order given, on a deployment that has everything. */
export function libraryOf(titles: readonly string[], change: Partial<WorkflowLookup> = {}): WorkflowLookup {
  const memos = titles.map((title, index) => ({ memoId: `M-${index + 1}`, title, memoType: "note" }));
  const same = (title: string, fold: (text: string) => string) =>
    memos.filter((memo) => fold(memo.title) === fold(title));
  return {
    async memosByTitle(title) {
      const exact = same(title, (text) => text);
      return exact.length > 0 ? exact : same(title, (text) => text.toLowerCase());
    },
    async memoById(memoId) {
      return memos.find((memo) => memo.memoId === memoId);
    },
    async titles() {
      return titles;
    },
    async commandOwners() {
      return [];
    },
    destinations: ["memo", "reply", "worktree"],
    sources: ["memo", "runs", "holds", "sessions", "verdicts", "edges", "fetch"],
    models: ["small", "default", "large"],
    actions: ["apply_session_verdicts"],
    ...change,
  };
}

/** The memos that the examples name. */
export const EXAMPLE_TITLES = [
  "House style",
  "Draft checklist",
  "Glossary",
  "Digest format",
  "Triage labels",
  "People I answer first",
  "Research rules",
  "Session steward rules",
  "Verdict examples",
  "Roadmap",
  "What counts as a roadmap item",
  "Checklist",
];
