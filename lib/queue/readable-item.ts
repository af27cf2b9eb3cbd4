import * as z from "zod";
import { laneKey } from "../core/keys.ts";
import { itemKeyOf, type Item } from "./item.ts";

/** What a pass and a runner rest on; the rest of a row, and what a later release adds, is its own affair. */
const Readable = z.object({
  lane: z.string(),
  itemKey: z.string(),
  generation: z.int().min(1),
  ownerUid: z.string(),
  workflowId: z.string(),
  dedupeKey: z.string().min(1),
  payload: z.string(),
  payloadHash: z.string(),
  landing: z.object({}),
  requestedBy: z.object({
    principalId: z.string(),
    kind: z.string(),
    uid: z.string(),
    username: z.string(),
  }),
  sessionId: z.string().nullable(),
});

/** Whether a row is an item that can be run, and stands where its ids say: a restore or a hand may have broken it. */
export function isReadable(row: Item): boolean {
  const { success, data } = Readable.safeParse(row);
  return (
    success &&
    data.itemKey === itemKeyOf(data.dedupeKey) &&
    data.lane === laneKey(data.ownerUid, data.workflowId)
  );
}
