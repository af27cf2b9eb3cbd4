import type { ReadContext } from "./tool.ts";

/** One text that a source brought in; data, never instructions. */
export type SourceText = {
  title: string;
  text: string;
  memoId?: string;
  contentVersion?: number;
  /** The text is a JSON object, whose members are a part of the step's value. */
  data?: true;
};

/**
 * Where a context step's `Include` reads from: `memo:`, `runs:`, `holds:`, `sessions:`, `verdicts:`, `edges:`,
 * `fetch:`. Registered like dispatchers; a workflow that names another one does not compile. Throws `source_unavailable` with the reason.
 */
export type Source = {
  /** Without the colon. */
  scheme: string;
  read(context: ReadContext, argument: string): Promise<SourceText[]>;
};
