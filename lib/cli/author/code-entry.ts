import type { Diagnostic } from "../../workflows/diagnostics.ts";

/** What there is to say about one code. */
export type CodeEntry = Pick<Diagnostic, "code" | "severity" | "message" | "hint"> & {
  /** Where both examples stand; null for what concerns the whole text. */
  section: "Trigger" | "Load Contract" | "Steps" | "Policy" | null;
  wrong: string;
  right: string;
};
