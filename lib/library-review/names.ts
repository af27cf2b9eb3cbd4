/** What the workflow file beside this one may name; its registry has exactly these. */
export const NAMES = {
  workflowId: "memo_library-review",
  tools: ["library_notes", "note_read"],
  transforms: ["review_settings", "review_pick", "review_line", "review_report"],
} as const;
