/** What a verdict did to a hold, behind the name of whoever said it. */
export const VERDICT_WORDS: Readonly<Record<string, string>> = {
  approve: "approved",
  approve_edited: "approved, with changes,",
  rebase: "approved a merge of",
  replace: "approved, in place of the memo,",
  keep_both: "approved as a memo of its own",
  request_changes: "sent back",
  reject: "rejected",
  cancel: "cancelled the run of",
  allow_once: "allowed once",
  expire: "let expire",
};

/** The class that colours a flag. */
export const holdTone = (tone: "warn" | "bad" | "plain"): string =>
  tone === "warn" ? "status-warning" : tone === "bad" ? "status-error" : "";

/** A hold by its kind, before the number of its draft. */
export const HOLD_KINDS = {
  output: "Draft",
  conflict: "Conflict about draft",
  budget: "Budget question in draft",
} as const;
