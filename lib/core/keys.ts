/**
 * Names of tables, key attributes and indexes. The topology declares the tables with them and the stores
 * read and write with them, so that a rename cannot break one side only.
 */
export const QUEUE = {
  key: "lane",
  sort: "itemKey",
  pending: { index: "pending", sort: "pendingKey" },
} as const;

export const LANES = {
  key: "lane",
  ready: { index: "ready", key: "readyShard", sort: "servedAt" },
  all: { index: "all", key: "laneShard", sort: "sweepKey" },
} as const;

export const RUNS = {
  key: "runId",
  sort: "part",
  active: { index: "active", key: "activeShard", sort: "since" },
  inbox: { index: "inbox", key: "inboxOwner", sort: "openedAt" },
  deadline: { index: "deadline", key: "deadlineShard", sort: "nextDeadlineAt" },
  outbox: { index: "outbox", key: "destination", sort: "plannedAt" },
  byOwner: { index: "byOwner", key: "ownerUid", sort: "createdAt" },
  bySession: { index: "bySession", key: "sessionId", sort: "createdAt" },
} as const;

export const MEMOS = {
  key: "memoKey",
  sort: "part",
  byOwner: { index: "byOwner", key: "ownerUid", sort: "changeSeq" },
  untold: { index: "untold", key: "untoldShard", sort: "untoldAt" },
} as const;

export const SESSIONS = {
  key: "sessionId",
  sort: "part",
  byOwner: { index: "byOwner", key: "ownerUid", sort: "activeBucketAt" },
  byParent: { index: "byParent", key: "parentSessionId", sort: "createdAt" },
  live: { index: "live", key: "liveOwner", sort: "activeBucketAt" },
} as const;

export const LEDGER = { key: "stream", sort: "seq" } as const;

export const CONTROL = {
  key: "pk",
  sort: "sk",
  due: { index: "due", key: "dueShard", sort: "nextAt" },
  byOwner: { index: "byOwner", key: "ownerUid", sort: "sk" },
} as const;

/** Kinds of rows in Control that a role may be given without the rest of the table: how their keys begin. */
export const CONTROL_ROWS = { key: "KEY#", rate: "RATE#", repeat: "REPEAT#", page: "PAGE#" } as const;
export type ControlRow = keyof typeof CONTROL_ROWS;

/** What is written of a key when it is used. */
export const KEY_STAMP = "lastUsedAt";

/** TTL attribute of every table, in epoch seconds, as DynamoDB wants it. */
export const TTL_ATTRIBUTE = "expiresAtSec";

/** The only shard: an idle tick then reads each index once. */
export const SHARD = "0";

/** The lane where one workflow's items wait. */
export type LaneKey = `${string}#${string}`;
export const laneKey = (ownerUid: string, workflowId: string): LaneKey => `${ownerUid}#${workflowId}`;

/** Owner and workflow of a lane; a memo id has no `#`, so the last one divides. */
export function laneParts(lane: string): { ownerUid: string; workflowId: string } {
  const at = lane.lastIndexOf("#");
  return { ownerUid: lane.slice(0, at), workflowId: lane.slice(at + 1) };
}

/** Text parts sort as numbers do when padded: 15 digits hold every epoch ms and every version. */
export const padded = (value: number): string => String(value).padStart(15, "0");
