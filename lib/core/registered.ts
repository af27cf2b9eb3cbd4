import type { Requester } from "./principal.ts";
import type { ReadContext } from "./tool.ts";

/** Who a registered tool acts for, and where in the run it is called. */
export type RegisteredContext = ReadContext & {
  requestedBy: Requester;
  /** Epoch ms; the same in every lease of the run. */
  runStartedAt: number;
  /** `<stepId>`, or `<stepId>#<index>` within a map: stable for repeats. */
  itemPlace: string;
};

/** What a call gave, or in how many seconds to call again: the run is let go, and the tool gets the same input and place. */
export type ToolOutcome = { value: unknown } | { againAfterSec: number };

/** Something that a `tool` step of a workflow file calls. It may change things; repeats of one place have one effect. */
export type RegisteredTool = {
  name: string;
  /** Throws an AppError whose message the run shows. */
  call(context: RegisteredContext, input: unknown): Promise<ToolOutcome>;
};

/** Which run a transform computes for, and the one time that the whole run knows. */
export type TransformContext = {
  /** The run's start. */
  nowMs: number;
  run: { runId: string; ownerUid: string; sessionId: string | null; requestedBy: Requester };
};

/** A pure function that a `transform` step of a workflow file names. */
export type Transform = (input: unknown, context: TransformContext) => unknown;

/** What workflow files may name, by name. */
export type Registered = {
  tools: Readonly<Record<string, RegisteredTool>>;
  transforms: Readonly<Record<string, Transform>>;
};
