import { requesterOf } from "../../lib/core/principal.ts";
import { laneKey } from "../../lib/core/keys.ts";
import type { ConditionalWrite } from "../../lib/core/conditional-write.ts";
import { pendingItem, type NewItem } from "../../lib/queue/item.ts";
import { emptyLane, type Lane } from "../../lib/queue/lane.ts";
import {
  claimItem,
  clearEmpty,
  clearFull,
  clearWaiting,
  declareLane,
  freeSlot,
  readyLane,
  requeueItem,
  settleUnreadable,
  settleItem,
  takeSlot,
} from "../../lib/queue/writes.ts";
import { agent, OWNER } from "../support/loop.ts";
import type { LateWrite } from "./late-heads.ts";

export const LANE = laneKey(OWNER, "memo_w");
export const ITEM: NewItem = {
  ownerUid: OWNER,
  workflowId: "memo_w",
  dedupeKey: "k",
  payload: "{}",
  payloadHash: "sha256:0",
  landing: {},
  requestedBy: requesterOf(agent),
  sessionId: null,
};
export const PENDING = pendingItem(ITEM, 1, "t", 1);

const none = emptyLane(LANE);
const seen = (more: Partial<Lane>): Lane => ({ ...none, ...more });
const one = [takeSlot(none, "run_1", 2, 1)];
const freed = [...one, freeSlot("run_1", false)];
const ready = [declareLane(LANE), readyLane(LANE)];
const full = [...one, clearFull(seen({ slotSeq: 1 }), 1)];

const late = (
  because: string,
  before: readonly ConditionalWrite[],
  ...writes: ConditionalWrite[]
): LateWrite[] => writes.map((write) => ({ because, before, late: write }));

export const LATE_LANES: readonly LateWrite[] = [
  ...late("the run has its slot", one, takeSlot(seen({ slotSeq: 1 }), "run_1", 2, 2)),
  ...late("the lane is full", one, takeSlot(seen({ slotSeq: 1 }), "run_2", 1, 2)),
  ...late("a slot was taken and freed since the first look", freed, takeSlot(none, "run_2", 1, 2)),
  ...late("a slot was freed since the look", freed, takeSlot(seen({ slotSeq: 1 }), "run_2", 1, 2)),
  ...late("an item came since the first look", ready, clearEmpty(none)),
  ...late("an item came since the look", [...ready, readyLane(LANE)], clearEmpty(seen({ enqueueSeq: 1 }))),
  ...late("a slot was taken since the first look", one, clearEmpty(none)),
  ...late("a slot was freed since the look", freed, clearEmpty(seen({ slotSeq: 1 }))),
  ...late(
    "a slot was freed and taken since the look",
    [...freed, takeSlot(seen({ slotSeq: 2 }), "run_2", 1, 3)],
    clearFull(seen({ slotSeq: 1 }), 1),
  ),
  ...late("a slot was taken since the first look", one, clearFull(none, 1)),
  ...late("there is room", one, clearFull(seen({ slotSeq: 1 }), 2)),
  ...late("an item came since the first look", ready, clearWaiting(none, { reason: "workflow_missing" })),
  ...late(
    "an item came since the look",
    [...ready, readyLane(LANE)],
    clearWaiting(seen({ enqueueSeq: 1 }), { reason: "workflow_missing" }),
  ),
  ...late("the run has no slot", one, freeSlot("run_2", false)),
  ...late("the lane is capped by now", full, freeSlot("run_1", false)),
  ...late("the lane is capped no more", one, freeSlot("run_1", true)),
];

const claimed = [claimItem(1, "run_1", 2)];
const done = [...claimed, settleItem(1, "run_1", "done", 3)];
const again = [...done, requeueItem(ITEM, { generation: 1, status: "done" }, "t2", 4)];

export const LATE_ITEMS: readonly LateWrite[] = [
  ...late("it was claimed", claimed, claimItem(1, "run_2", 3)),
  ...late(
    "it is of the next generation",
    again,
    claimItem(1, "run_1", 5),
    settleItem(1, "run_1", "failed", 5),
  ),
  ...late(
    "it was claimed",
    claimed,
    settleUnreadable({ pendingKey: PENDING.pendingKey, generation: 1 }, "run_1", "failed", 5),
  ),
  ...late("it was settled", done, settleItem(1, "run_1", "failed", 5)),
  ...late("it runs", claimed, requeueItem(ITEM, { generation: 1, status: "done" }, "t2", 5)),
  ...late(
    "it has failed",
    [...claimed, settleItem(1, "run_1", "failed", 3)],
    requeueItem(ITEM, { generation: 1, status: "cancelled" }, "t2", 5),
  ),
  ...late("it was done", done, requeueItem(ITEM, { generation: 1, status: "failed" }, "t2", 5)),
  ...late(
    "it has gone again and ended",
    [...again, claimItem(2, "run_2", 5), settleItem(2, "run_2", "done", 6)],
    requeueItem(ITEM, { generation: 1, status: "done" }, "t3", 7),
  ),
];
