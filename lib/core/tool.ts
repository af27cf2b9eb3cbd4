import type { Requester } from "./principal.ts";

/** Who a tool or a source acts for: the run's owner and session, never what a text says. */
export type ReadContext = {
  ownerUid: string;
  sessionId: string | null;
  runId: string;
  at: number;
  /** Who asked for the run; absent in a preview. */
  requestedBy?: Requester;
};

/** A JSON Schema, as far as the dialect's subset goes. */
export type ToolSchema = { readonly [keyword: string]: unknown };

/** Something that a process step may ask in the middle of its turn. It reads and never changes anything. */
export type Tool = {
  name: string;
  description: string;
  input: ToolSchema;
  /** The answer as text; throws an AppError whose message the model may see. */
  call(context: ReadContext, input: unknown): Promise<string>;
};
