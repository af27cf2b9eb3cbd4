import { stepPrefix } from "../../lib/runs/parts.ts";
import type { Registered } from "../../lib/core/registered.ts";
import type { Engine } from "./engine.ts";
import { agent, createLoop, OWNER, steward, type Loop } from "./loop.ts";
import { scriptedModel } from "./scripted-model.ts";
import { bundledFile, toolOf, type workflowFile } from "./workflow-file.ts";

export type Parts = Parameters<typeof workflowFile>[0];

let owners = 0;

/** A loop of an owner of its own, with one workflow file, `/a-file`, whose input `apply` is people's. */
export function givenFile(
  engine: Pick<Engine, "doc" | "tables">,
  parts: Parts,
  registered: Partial<Registered>,
  options: Partial<Parameters<typeof createLoop>[1]> = {},
) {
  const whole = { tools: {}, transforms: {}, ...registered };
  const model = options.model ?? scriptedModel({});
  const loop = createLoop(engine, { ...options, model, ...bundledFile(parts, whole, ["apply"]) });
  const ownerUid = `${OWNER}${++owners}`;
  return { loop, ownerUid, by: { ...agent, ownerUid }, person: { ...steward, ownerUid } };
}

/** A run of it as it is when nothing more happens. */
export async function doneRun(loop: Loop, by: typeof agent, payload: Record<string, unknown> = {}) {
  const { runId } = await loop.enqueue("/a-file", payload, {}, by);
  await loop.settleDown();
  return (await loop.runs.readHead(runId))!;
}

/** What the row of a step holds. */
export const stepText = async (loop: Loop, runId: string, step: number): Promise<string | undefined> =>
  (await loop.runs.readParts(runId, stepPrefix(step, 1)))[0]?.text;

/** Gives its input back. */
export const ECHO = { echo: toolOf("echo", async (_context, input) => ({ value: input })) };
