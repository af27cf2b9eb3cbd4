import * as z from "zod";
import { canonicalJson } from "../core/canonical-json.ts";
import { AppError } from "../core/errors.ts";
import { digestOf } from "../core/ids.ts";
import { rawMember } from "../core/json-slice.ts";
import { EnqueueRequest, enqueueItem, type EnqueueAnswer } from "../intake/enqueue-item.ts";
import type { FoundWorkflow } from "../intake/workflow-library.ts";
import { agentTool, type AgentToolDeps, type Call } from "./agent-tool.ts";
import { nextOf } from "./next-step.ts";
import { POLL_AFTER_SECONDS, STATES, workOf, type Work } from "./subject.ts";
import { WAIT_MAX_SECONDS, waitFor } from "./wait.ts";

/** Asks for a run. Asked again for the same, it answers with the first one. */
export const runLoop = agentTool({
  name: "run_loop",
  description:
    "Runs a workflow by its command. The same key is the same work: asked again it answers with the first run.",
  scope: "items:enqueue",
  writes: true,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    command: z.string().min(1).max(200).describe("as list_workflows has it"),
    payload: z.record(z.string(), z.json()).default({}).describe("its inputs by name"),
    key: EnqueueRequest.shape.dedupeKey.describe(
      "short and stable for this request; default: of the payload",
    ),
    wait_seconds: z.int().min(0).max(WAIT_MAX_SECONDS).default(0),
  }),
  output: z.looseObject({
    item: z.string(),
    run: z.string().optional(),
    state: z.enum(STATES),
    enqueued: z.boolean(),
    next: z.string(),
    poll_after_seconds: z.int().nullable().optional(),
  }),
  label: ({ command }) => command,
  async call(deps, call, input) {
    const { principal, sessionId } = call;
    const { ownerUid } = principal;
    const found = await foundWorkflow(deps, ownerUid, input.command);
    const key = input.key ?? standardKey(found, call, input);
    const request = EnqueueRequest.parse({ payload: input.payload, ...(key && { dedupeKey: key }) });
    const payloadText = payloadTextOf(call, input.payload);
    // Found once: what is enqueued is checked against what the answer speaks of.
    const workflows = { ...deps.workflows, find: async () => found };
    const answer = await enqueueItem({ ...deps, workflows }, found.memo.memoId, principal, {
      request,
      payloadText,
      sessionId,
    }).catch((error: unknown) => {
      throw withInputs(error, found, input.command);
    });
    const { itemId } = answer.item;
    const look = async (): Promise<Work> => {
      const work = await workOf(deps, ownerUid, itemId);
      return answer.why && work.state === "queued" ? { ...work, state: "waiting" } : work;
    };
    const work = await waitFor(deps, call, answer.why ? 0 : input.wait_seconds, look);
    return told(answer, work, input.command);
  },
});

async function foundWorkflow(deps: AgentToolDeps, ownerUid: string, command: string): Promise<FoundWorkflow> {
  const found = await deps.workflows.find(ownerUid, command.trim());
  if (found) return found;
  throw new AppError("workflow_not_found", `there is no workflow ${command}`, { workflow: command });
}

/**
 * Of the session, the command and the payload: a model that calls five times asks for one thing. A workflow that
 * says itself what the same work is keeps its own key.
 */
function standardKey(
  { memo, compiled }: FoundWorkflow,
  { sessionId }: Call,
  { payload }: { payload: unknown },
): string | undefined {
  if (compiled.ok && compiled.manifest.policy.dedupeKey !== null) return undefined;
  return `agent:${digestOf([sessionId, memo.memoId, canonicalJson(payload)])}`;
}

/** As it was sent, where that is known: writing it again would change large numbers. */
const payloadTextOf = ({ argumentsText }: Call, payload: unknown): string =>
  (argumentsText && rawMember(argumentsText, "payload")) ?? JSON.stringify(payload);

function withInputs(error: unknown, { compiled }: FoundWorkflow, command: string): unknown {
  if (!(error instanceof AppError) || error.code !== "payload_invalid" || !compiled.ok) return error;
  const inputs = compiled.manifest.trigger.inputs.map(
    ({ name, type, required }) => `${name} (${type}${required ? ", required" : ""})`,
  );
  const known = inputs.length > 0 ? `its inputs are ${inputs.join(", ")}` : "it takes no inputs";
  return new AppError(error.code, `${command}: ${error.message}; ${known}`, { failing: [] });
}

function told({ enqueued, reason, item, why }: EnqueueAnswer, work: Work, command: string) {
  const { state, run } = work;
  const mismatch =
    "That key was used with another payload, and this is that request. New work needs another key.";
  const next = reason === "payload_mismatch" ? mismatch : nextOf(work, why);
  const again = enqueued ? "" : " It was asked for before; this is the first one.";
  const { dedupeKey, itemId } = item;
  return {
    says: `${command} is ${state}.${again}`,
    value: {
      item: itemId,
      ...(run && { run: run.runId }),
      state,
      enqueued,
      ...(!enqueued && { reason }),
      key: dedupeKey,
      next,
      poll_after_seconds: POLL_AFTER_SECONDS[state],
    },
  };
}
