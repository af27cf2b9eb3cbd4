import * as z from "zod";
import { sha256, utf8Bytes } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Ids } from "../core/ids.ts";
import { requesterOf, type Principal, type Requester } from "../core/principal.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import { enqueue, type Enqueued } from "../queue/enqueue.ts";
import { Landing, PAYLOAD_MAX_BYTES, type ItemStatus } from "../queue/item.ts";
import type { LaneWait } from "../queue/lane.ts";
import type { QueueStore } from "../queue/store.ts";
import { checkPeopleOnly } from "../workflow-files/people-only.ts";
import { namedTarget } from "../workflows/named-target.ts";
import { checkPayload } from "../workflows/payload.ts";
import { momentValues } from "../workflows/run-values.ts";
import { renderTemplate } from "../workflows/template.ts";
import { laneWaitOf, type AdmitDeps } from "./admit.ts";
import type { FoundWorkflow, WorkflowLibrary } from "./workflow-library.ts";

/** What a producer sends beside the payload, whose text is kept as it was sent. */
export const EnqueueRequest = z.strictObject({
  payload: z.record(z.string(), z.json()).default({}),
  dedupeKey: z
    .string()
    .min(1)
    .max(500)
    // In a digest every half of a pair is the same: other items would be known by this one's key.
    .refine((key) => key.isWellFormed(), "has half a surrogate pair")
    .optional(),
  ifExists: z.enum(["skip", "requeue_failed", "new_generation"]).default("skip"),
  landing: Landing.default({}),
});
export type EnqueueRequest = z.infer<typeof EnqueueRequest>;

export type EnqueueAnswer = Enqueued & {
  /** What the item is now. One that waits is `waiting` when its lane is not served, and `why` says the reason. */
  status: "queued" | "waiting" | Exclude<ItemStatus, "pending">;
  why: Exclude<LaneWait["reason"], "workflow_missing"> | null;
  /** Of the payload in this request; the item's own is another one after a mismatch. */
  sentPayloadHash: string;
};

export type EnqueueDeps = AdmitDeps & {
  workflows: WorkflowLibrary;
  queue: QueueStore;
  doorbells: Doorbells;
  clock: Clock;
  ids: Ids;
};

export type Given = {
  request: EnqueueRequest;
  payloadText: string;
  sessionId: string | null;
  /** The slot of a schedule: its own key, and the moment of which a template's `run.` speaks. */
  slot?: { at: number; key: string };
};

/**
 * Puts work in a workflow's lane, after checking the payload against its Inputs. A workflow that may not run
 * now takes the item all the same and says why it waits.
 * @throws {AppError} workflow_not_found, payload_invalid, people_only, body_too_large; invalid_request for a source that no memo has
 */
export async function enqueueItem(
  deps: EnqueueDeps,
  idOrCommand: string,
  principal: Pick<Principal, "ownerUid"> & Requester,
  given: Given,
): Promise<EnqueueAnswer> {
  const { request, payloadText, sessionId } = given;
  const { ownerUid } = principal;
  const actual = utf8Bytes(payloadText);
  if (actual > PAYLOAD_MAX_BYTES) {
    throw new AppError("body_too_large", `the payload has ${actual} bytes of ${PAYLOAD_MAX_BYTES}`, {
      limit: PAYLOAD_MAX_BYTES,
      actual,
    });
  }
  const found = await deps.workflows.find(ownerUid, idOrCommand);
  if (!found) {
    throw new AppError("workflow_not_found", `there is no workflow ${idOrCommand}`, {
      workflow: idOrCommand,
    });
  }
  const laneWait = (await laneWaitOf(deps, found))?.reason ?? null;
  const payloadHash = sha256(payloadText);
  const payload = checked(found, payloadText);
  checkPeopleOnly(principal.kind, payload, found.peopleOnly ?? []);
  checkSource(found, payload, request.landing);
  const dedupeKey = request.dedupeKey ?? dedupeKeyOf(found, payload, payloadHash, given.slot);
  const enqueued = await enqueue(
    deps,
    {
      ownerUid,
      workflowId: found.memo.memoId,
      dedupeKey,
      payload: payloadText,
      payloadHash,
      landing: request.landing,
      requestedBy: requesterOf(principal),
      sessionId,
    },
    request.ifExists,
  );
  const { status: itemStatus } = enqueued.item;
  const why = itemStatus === "pending" ? laneWait : null;
  const status = itemStatus !== "pending" ? itemStatus : why ? "waiting" : "queued";
  return { ...enqueued, status, why, sentPayloadHash: payloadHash };
}

/** The payload with its defaults; a workflow that does not compile has no Inputs to check against yet. */
function checked({ compiled }: FoundWorkflow, payloadText: string): Record<string, unknown> | undefined {
  if (!compiled.ok) return undefined;
  const result = checkPayload(compiled.manifest.trigger, payloadText);
  if (result.ok) return result.payload;
  const places = result.failing.map(({ pointer, message }) => `${pointer}: ${message}`).join("; ");
  throw new AppError("payload_invalid", places, { failing: result.failing });
}

/** A source without its memo is the target's: of a memo that is yet to be made nobody has seen a hash. */
function checkSource(
  { compiled }: FoundWorkflow,
  payload: Record<string, unknown> | undefined,
  { source }: Landing,
): void {
  if (!compiled.ok || !payload || !source || source.memoId !== undefined) return;
  if (source.contentHash === undefined && source.notesHash === undefined) return;
  const { policy } = compiled.manifest;
  if (policy.target.kind === "memo" || namedTarget(compiled.manifest, payload) !== undefined) return;
  const message = "a new memo has no hash yet: name the source's memoId, or the memo to change";
  throw new AppError("invalid_request", `/landing/source: ${message}`, {
    failing: [{ pointer: "/landing/source", message }],
  });
}

/** The policy's template, else the slot, else the hash of the payload: the same work asked for twice is one item. */
function dedupeKeyOf(
  { compiled }: FoundWorkflow,
  payload: Record<string, unknown> | undefined,
  hash: string,
  slot: Given["slot"],
): string {
  const template = compiled.ok ? compiled.manifest.policy.dedupeKey : null;
  if (template === null) return slot?.key ?? hash;
  // Values of the run do not exist yet when somebody enqueues by hand; a slot has its own.
  if (!slot && /\{\{\s*run\./.test(template)) return hash;
  const run = slot ? momentValues(slot.at) : {};
  return renderTemplate(template, { payload: payload ?? {}, steps: {}, run });
}
