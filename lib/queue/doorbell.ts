import * as z from "zod";
import { isId, type Id } from "../core/ids.ts";

/** Form of the messages; another version is acknowledged and counted, never guessed at. */
export const DOORBELL_VERSION = 1;

/** A single-use ticket for one run: the runner's first write turns `epoch` into `epoch + 1`. */
export const RunBell = z.strictObject({
  v: z.literal(DOORBELL_VERSION),
  runId: z.custom<Id<"run">>((value) => isId("run", value)),
  epoch: z.int().min(0),
});
export type RunBell = z.infer<typeof RunBell>;

export const WakeBell = z.strictObject({ v: z.literal(DOORBELL_VERSION) });

/**
 * Rings. A bell that cannot be rung costs a delay and never an effect, so a failed send answers false and the
 * five-minute rules do the rest.
 */
export type Doorbells = {
  /** One pass, soon. */
  ringWake(): Promise<boolean>;
  /** One runner for each ticket; a delay is for a run that waits before it goes on. */
  ringRuns(bells: readonly { runId: Id<"run">; epoch: number; delaySec?: number }[]): Promise<boolean>;
};
