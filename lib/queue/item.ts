import * as z from "zod";
import type { Sha256 } from "../core/bytes.ts";
import { digestOf, type Id } from "../core/ids.ts";
import { laneKey, padded, type LaneKey } from "../core/keys.ts";
import type { Requester } from "../core/principal.ts";

/** Longest payload, in UTF-8 bytes: an item must fit one row with its other fields. */
export const PAYLOAD_MAX_BYTES = 256 * 1024;

const Tag = z.string().max(100);

/**
 * Where the result may land, as the producer asked; the policy decides the rest. `source` is what the move
 * guard compares: the hashes of a memo (the target, when none is named) as the producer saw it.
 */
export const Landing = z.strictObject({
  /** Lands the text in the notes zone of the target and leaves its body as it is. */
  targetNotes: z.boolean().optional(),
  /** Tags for each zone, beside those of the policy. */
  tags: z
    .strictObject({ body: z.array(Tag).max(50).optional(), notes: z.array(Tag).max(50).optional() })
    .optional(),
  source: z
    .strictObject({
      memoId: z.string().min(1).max(200).optional(),
      contentHash: z.string().max(80).optional(),
      notesHash: z.string().max(80).optional(),
    })
    .optional(),
});
export type Landing = z.infer<typeof Landing>;

export type ItemStatus = "pending" | "claimed" | "done" | "failed" | "cancelled";
export type SettledStatus = Extract<ItemStatus, "done" | "failed" | "cancelled">;
export const SETTLED = ["done", "failed", "cancelled"] as const satisfies readonly SettledStatus[];

/** Which status may follow which; a settled item goes back to pending only as a new generation. */
export const NEXT_ITEM = {
  pending: ["claimed", "done", "failed", "cancelled"],
  claimed: ["done", "failed", "cancelled"],
  done: ["pending"],
  failed: ["pending"],
  cancelled: ["pending"],
} as const satisfies Record<ItemStatus, readonly ItemStatus[]>;

/** The run whose earlier steps a fork keeps, and the step from which on it works anew. */
export type ForkOf = { runId: Id<"run">; step: string };

type ItemBase = {
  lane: LaneKey;
  itemKey: string;
  itemId: Id<"item">;
  /** 1 for the first; a rerun of the same dedupe key counts up. */
  generation: number;
  ownerUid: string;
  workflowId: string;
  dedupeKey: string;
  /** The JSON text the caller sent, never parsed and written again: key order and numbers stay as they were. */
  payload: string;
  payloadHash: Sha256;
  landing: Landing;
  requestedBy: Requester;
  sessionId: string | null;
  enqueuedAt: number;
  /** Token of the enqueue that made this generation: the same put repeated finds itself. */
  enqueueToken: string;
  /** Only a person's or an agent's own request for a fork sets it; no payload and no model text can. */
  forkOf?: ForkOf;
};

/** One queued piece of work. */
export type Item =
  | (ItemBase & { status: "pending"; pendingKey: string })
  | (ItemBase & { status: "claimed"; runId: Id<"run">; claimedAt: number })
  | (ItemBase & { status: SettledStatus; runId: Id<"run">; settledAt: number });

/** What an enqueue asks for. */
export type NewItem = Pick<
  ItemBase,
  | "ownerUid"
  | "workflowId"
  | "dedupeKey"
  | "payload"
  | "payloadHash"
  | "landing"
  | "requestedBy"
  | "sessionId"
  | "forkOf"
>;

/** 96 bits of the dedupe key: the same key is the same row, for ever. */
export const itemKeyOf = (dedupeKey: string): string => digestOf([dedupeKey]).slice(0, 24);

/** Ids name their place, so that a lookup needs no index: the workflow, the key, the generation. */
export const itemIdOf = (workflowId: string, itemKey: string, generation: number): Id<"item"> =>
  `item_${workflowId.replace(/^memo_/, "")}-${itemKey}-${generation}`;

/** Where an item id points inside its owner's lanes; undefined when it is none of ours. */
export function itemPlace(
  itemId: string,
): { workflowId: string; itemKey: string; generation: number } | undefined {
  const match = /^item_([A-Za-z0-9._]{1,80})-([0-9a-f]{24})-([1-9]\d{0,8})$/.exec(itemId);
  if (!match) return undefined;
  return { workflowId: `memo_${match[1]}`, itemKey: match[2]!, generation: Number(match[3]) };
}

/** The only run that an item's generation can have: a second claim cannot make a second run. */
export function runIdOf(
  ownerUid: string,
  workflowId: string,
  itemKey: string,
  generation: number,
): Id<"run"> {
  return `run_${digestOf([ownerUid, workflowId]).slice(0, 20)}-${itemKey}-${generation}`;
}

/** The item's key and generation that a run id names; undefined when it is none of ours. */
export function runPlace(runId: string): { itemKey: string; generation: number } | undefined {
  const match = /^run_[0-9a-f]{20}-([0-9a-f]{24})-([1-9]\d{0,8})$/.exec(runId);
  return match ? { itemKey: match[1]!, generation: Number(match[2]) } : undefined;
}

/** An item that waits, of the generation named. */
export function pendingItem(
  item: NewItem,
  generation: number,
  enqueueToken: string,
  at: number,
): Item & { status: "pending" } {
  const itemKey = itemKeyOf(item.dedupeKey);
  return {
    ...item,
    lane: laneKey(item.ownerUid, item.workflowId),
    itemKey,
    itemId: itemIdOf(item.workflowId, itemKey, generation),
    generation,
    enqueuedAt: at,
    enqueueToken,
    status: "pending",
    pendingKey: pendingKeyOf(itemKey, at),
  };
}

/** Oldest first, ties by key: a number alone would leave the order of one millisecond open. */
export const pendingKeyOf = (itemKey: string, at: number): string => `${padded(at)}#${itemKey}`;
