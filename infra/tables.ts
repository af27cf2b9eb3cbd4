import { ENV, type EnvName } from "../functions/env.ts";
import { CONTROL, LANES, LEDGER, MEMOS, QUEUE, RUNS, SESSIONS } from "../lib/core/keys.ts";

export type KeyType = "S" | "N";
export type KeyAttribute = { name: string; type: KeyType };
export type IndexDeclaration = {
  name: string;
  kind: "global" | "local";
  /** Absent for a local index: it shares the table's partition key. */
  key?: KeyAttribute;
  sort: KeyAttribute;
  /** Attributes beside the keys; keys only unless a reason stands here. */
  include?: readonly string[];
};
export type TableDeclaration = {
  env: EnvName;
  key: KeyAttribute;
  sort?: KeyAttribute;
  indexes: readonly IndexDeclaration[];
};

const text = (name: string): KeyAttribute => ({ name, type: "S" });
const number = (name: string): KeyAttribute => ({ name, type: "N" });
const global = (
  index: string,
  key: KeyAttribute,
  sort: KeyAttribute,
  include?: readonly string[],
): IndexDeclaration =>
  include ? { name: index, kind: "global", key, sort, include } : { name: index, kind: "global", key, sort };

export const TABLES = {
  queue: {
    env: ENV.queueTable,
    key: text(QUEUE.key),
    sort: text(QUEUE.sort),
    // Local, so that "is this lane empty" is a consistent read.
    indexes: [{ name: QUEUE.pending.index, kind: "local", sort: text(QUEUE.pending.sort) }],
  },
  lanes: {
    env: ENV.lanesTable,
    key: text(LANES.key),
    indexes: [
      global(LANES.ready.index, text(LANES.ready.key), number(LANES.ready.sort)),
      // Every lane in the order of a digest, written once: the sweep looks at one from a random place, without a Scan.
      global(LANES.all.index, text(LANES.all.key), text(LANES.all.sort)),
    ],
  },
  runs: {
    env: ENV.runsTable,
    key: text(RUNS.key),
    sort: text(RUNS.sort),
    indexes: [
      global(RUNS.active.index, text(RUNS.active.key), number(RUNS.active.sort)),
      global(RUNS.inbox.index, text(RUNS.inbox.key), number(RUNS.inbox.sort)),
      global(RUNS.deadline.index, text(RUNS.deadline.key), number(RUNS.deadline.sort)),
      global(RUNS.outbox.index, text(RUNS.outbox.key), number(RUNS.outbox.sort)),
      global(RUNS.byOwner.index, text(RUNS.byOwner.key), number(RUNS.byOwner.sort)),
      global(RUNS.bySession.index, text(RUNS.bySession.key), number(RUNS.bySession.sort)),
    ],
  },
  memos: {
    env: ENV.memosTable,
    key: text(MEMOS.key),
    sort: text(MEMOS.sort),
    indexes: [
      // With titles, tags and versions: a cold container builds its list of an owner's library from the index
      // alone, instead of a read for each memo.
      global(MEMOS.byOwner.index, text(MEMOS.byOwner.key), number(MEMOS.byOwner.sort), [
        "title",
        "tags",
        "memoType",
        "visibility",
        "contentVersion",
        "updatedAt",
        "bodyRef",
        "deletedAt",
      ]),
      global(MEMOS.untold.index, text(MEMOS.untold.key), number(MEMOS.untold.sort)),
    ],
  },
  sessions: {
    env: ENV.sessionsTable,
    key: text(SESSIONS.key),
    sort: text(SESSIONS.sort),
    indexes: [
      global(SESSIONS.byOwner.index, text(SESSIONS.byOwner.key), number(SESSIONS.byOwner.sort)),
      global(SESSIONS.byParent.index, text(SESSIONS.byParent.key), number(SESSIONS.byParent.sort)),
      global(SESSIONS.live.index, text(SESSIONS.live.key), number(SESSIONS.live.sort)),
    ],
  },
  ledger: { env: ENV.ledgerTable, key: text(LEDGER.key), sort: text(LEDGER.sort), indexes: [] },
  control: {
    env: ENV.controlTable,
    key: text(CONTROL.key),
    sort: text(CONTROL.sort),
    indexes: [
      global(CONTROL.due.index, text(CONTROL.due.key), number(CONTROL.due.sort)),
      global(CONTROL.byOwner.index, text(CONTROL.byOwner.key), text(CONTROL.byOwner.sort)),
    ],
  },
} as const satisfies Record<string, TableDeclaration>;
export type TableName = keyof typeof TABLES;
