import {
  CREATE,
  HELD,
  HELD_UPDATE,
  NONE,
  UPDATE,
  claimed,
  firstClaimed,
  held,
  pending,
  type Scenario,
  type Work,
} from "./scenario.ts";
import {
  ALLOW,
  APPROVE,
  APPROVE_EDITED,
  CLEARED,
  DONE,
  REBASE,
  REJECT,
  REQUEST_CHANGES,
  newHead,
  replaced,
  type State,
} from "./state.ts";

type Setting = Pick<Scenario, "items" | "generations" | "lanes"> & Partial<Scenario>;

const cast = (about: string, setting: Setting, budgets: Partial<Scenario>): Scenario => ({
  ...setting,
  ...budgets,
  about,
});

/** Two like items are enqueued on a lane of limit 1. */
const TWO_COME: Setting = { items: [NONE, NONE], generations: 1, alike: true, lanes: [1], enqueues: [1, 1] };
/** All items are pending on one lane. */
const pendingOn = (limit: number, items: readonly Work[]): Setting => ({
  items,
  generations: 1,
  lanes: [limit],
  start: pending,
});
/** One item is claimed and its doorbell rung. */
const claimedOne = (work: Work): Setting => ({ items: [work], generations: 1, lanes: [1], start: claimed });
/** One run waits at its first gate. */
const heldOne = (work: Work = HELD, base = 0): Setting => ({
  items: [work],
  generations: 1,
  lanes: [1],
  start: held(base),
});
/** One item is claimed, and the lane of limit 1 gets another. */
const claimedThen = (work: Work): Setting => ({
  items: [work, NONE],
  generations: 1,
  lanes: [1],
  enqueues: [0, 1],
  start: firstClaimed,
});

const firstHasEnded = (s: State): State => ({
  ...s,
  heads: replaced(s.heads, 0, { ...newHead(), ...CLEARED, status: DONE, epoch: 1, active: 0 }),
});

const DECIDE = [APPROVE, REJECT] as const;
const DECIDE_EDITED = [APPROVE, APPROVE_EDITED, REJECT] as const;
const ANY = [APPROVE, APPROVE_EDITED, REQUEST_CHANGES, REJECT] as const;

export const SCENARIOS = {
  "lane-1": cast("1 lane, limit 1, 2 items, a duplicate enqueue, 3 passes, 1 runner, 1 recover", TWO_COME, {
    enqueues: [2, 1],
    passes: 3,
    runners: 1,
    recovers: 1,
  }),
  "lane-1-skew": cast("as lane-1, the second item may get an older pendingAt", TWO_COME, {
    passes: 3,
    runners: 1,
    recovers: 1,
    skew: 1,
  }),
  "lane-2": cast(
    "1 lane, limit 2, 3 items, 3 passes, 1 runner, 1 recover",
    { items: [NONE, NONE, NONE], generations: 1, alike: true, lanes: [2], enqueues: [1, 1, 1] },
    { passes: 3, runners: 1, recovers: 1 },
  ),
  "lane-lost": cast("1 lane, limit 1, 2 items, two answers lost", TWO_COME, {
    passes: 2,
    runners: 1,
    recovers: 1,
    lost: 2,
  }),
  "enqueue-crash": cast("an enqueue that is never answered and never repeated", TWO_COME, {
    passes: 3,
    runners: 1,
    recovers: 1,
    noRetry: true,
    sweep: true,
  }),
  withdraw: cast("a pending item is withdrawn while passes claim it", TWO_COME, {
    passes: 2,
    runners: 1,
    recovers: 2,
    withdraw: 1,
  }),
  "withdraw-rerun": cast(
    "a pending item is withdrawn and enqueued again while passes claim it",
    { items: [NONE], generations: 2, lanes: [1], enqueues: [1] },
    { passes: 3, runners: 1, recovers: 1, withdraw: 1, rerun: 1 },
  ),
  forgotten: cast(
    "the queue forgot an item whose run is still kept; it is enqueued again, with one behind it",
    { items: [NONE, NONE], generations: 1, lanes: [1], enqueues: [1, 1], start: firstHasEnded },
    { passes: 3, runners: 1, recovers: 1 },
  ),
  rerun: cast(
    "a new generation against late passes and late settles",
    { items: [NONE], generations: 2, lanes: [1], enqueues: [1] },
    { passes: 3, runners: 2, recovers: 1, rerun: 1 },
  ),
  "rerun-memo": cast(
    "a new generation against a zombie that still dispatches the old one",
    claimedOne(CREATE),
    { generations: 2, passes: 2, runners: 2, recovers: 1, rerun: 1 },
  ),
  "limit-1": cast("limit 1, 2 pending items, 3 passes, 2 runners, 2 recovers", pendingOn(1, [NONE, NONE]), {
    passes: 3,
    runners: 2,
    recovers: 2,
  }),
  "limit-2": cast(
    "limit 2, 3 pending items, 3 passes, 3 runners, 1 recover",
    pendingOn(2, [NONE, NONE, NONE]),
    { passes: 3, runners: 3, recovers: 1 },
  ),
  "claim-hold": cast("limit 1: a run is held while its claim is half made", pendingOn(1, [HELD, NONE]), {
    passes: 3,
    runners: 2,
    recovers: 2,
  }),
  fence: cast(
    "no hold, memo created; 3 runners, 3 recovers, a hop, a failing model call",
    claimedOne(CREATE),
    { runners: 3, recovers: 3, hop: 1, fail: 1, maxRecoveries: 2 },
  ),
  "fence-lost": cast("no hold, memo created; answers lost", claimedOne(CREATE), {
    runners: 2,
    recovers: 2,
    lost: 2,
  }),
  "fence-lane": cast("limit 1: a recovered run and the next item", claimedThen(UPDATE), {
    passes: 2,
    runners: 3,
    recovers: 2,
    fail: 1,
  }),
  memo: cast("update in place, people editing, 3 runners", claimedOne(UPDATE), {
    runners: 3,
    recovers: 2,
    edit: 2,
  }),
  "memo-gone": cast("update in place, a person edits and deletes, 3 runners", claimedOne(UPDATE), {
    runners: 3,
    recovers: 2,
    edit: 1,
    remove: 1,
  }),
  "memo-new": cast("memo created, then edited or deleted by a person, 3 runners", claimedOne(CREATE), {
    runners: 3,
    recovers: 3,
    edit: 1,
    remove: 1,
  }),
  exhaust: cast("recovery_exhausted around the dispatch, zombies", claimedOne(CREATE), {
    runners: 3,
    recovers: 4,
    maxRecoveries: 1,
  }),
  cancel: cast("cancel against everything, no hold", claimedOne(CREATE), {
    runners: 2,
    recovers: 2,
    cancel: 1,
  }),
  "cancel-claim": cast("cancel against a half-made claim", TWO_COME, {
    passes: 3,
    runners: 1,
    recovers: 1,
    cancel: 1,
  }),
  hold: cast("suspend and approve or reject, two stewards, 3 runners, 2 recovers", claimedOne(HELD), {
    runners: 3,
    recovers: 2,
    stewards: [DECIDE, DECIDE],
  }),
  "hold-lane": cast("limit 1: a run suspends, the next item starts, the first resumes", claimedThen(HELD), {
    passes: 2,
    runners: 3,
    recovers: 2,
    stewards: [[APPROVE]],
  }),
  "hold-lost": cast("suspend, decide and dispatch with answers lost", claimedOne(HELD), {
    runners: 2,
    recovers: 2,
    lost: 1,
    stewards: [DECIDE, [APPROVE]],
  }),
  decide: cast("from an open hold: all verdicts, two stewards, expiry, 3 recovers", heldOne(), {
    runners: 2,
    recovers: 3,
    expire: 1,
    stewards: [ANY, ANY],
  }),
  revise: cast(
    "request_changes, a late decision on the old hold, expiry of the old hold, answers lost",
    heldOne(),
    { runners: 3, recovers: 3, expire: 1, lost: 1, maxRevisions: 2, stewards: [[REQUEST_CHANGES], DECIDE] },
  ),
  "revise-same": cast("request_changes, and the new draft has the same bytes as the old", heldOne(), {
    runners: 2,
    recovers: 2,
    expire: 1,
    lost: 1,
    maxRevisions: 2,
    sameBytes: true,
    stewards: [[REQUEST_CHANGES], DECIDE],
  }),
  budget: cast(
    "a step is over its budget, in an automatic run: allowed once, cancelled or expired",
    claimedOne(CREATE),
    {
      runners: 3,
      recovers: 2,
      budget: 1,
      lost: 1,
      expire: 1,
      stewards: [[ALLOW, REJECT]],
    },
  ),
  "budget-hold": cast("a step is over its budget, then its output waits", claimedOne(HELD), {
    runners: 3,
    recovers: 2,
    budget: 1,
    stewards: [[ALLOW, REJECT], DECIDE],
  }),
  "revise-budget": cast("request_changes, and the new revision is over its budget", heldOne(), {
    runners: 3,
    recovers: 2,
    budget: 1,
    lost: 1,
    maxRevisions: 2,
    stewards: [[REQUEST_CHANGES], [ALLOW, REJECT], DECIDE],
  }),
  "memo-conflict": cast("an automatic update loses to people, and a person rebases it", claimedOne(UPDATE), {
    runners: 3,
    recovers: 2,
    edit: 2,
    conflictHold: true,
    stewards: [[REBASE, REJECT]],
  }),
  "decide-cancel": cast("from an open hold: decide against cancel and take-back", heldOne(), {
    runners: 2,
    recovers: 2,
    cancel: 1,
    takeback: 1,
    lost: 1,
    stewards: [DECIDE_EDITED, DECIDE],
  }),
  "decide-memo": cast(
    "from an open hold on an existing memo: people edit, conflict, rebase",
    heldOne(HELD_UPDATE, 1),
    {
      runners: 3,
      recovers: 3,
      edit: 2,
      conflictHold: true,
      stewards: [
        [APPROVE, APPROVE_EDITED],
        [REBASE, REJECT],
      ],
    },
  ),
  "decide-exhaust": cast("approved, then runners die until the bound", heldOne(), {
    runners: 3,
    recovers: 4,
    maxRecoveries: 1,
    stewards: [[APPROVE]],
  }),
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

/** Too big to explore: only walks go through it. */
export const BIG: Scenario = {
  about: "2 lanes (limits 1 and 2), 4 items of every kind, everything allowed",
  generations: 2,
  lanes: [1, 2],
  items: [
    { ...HELD, lane: 0 },
    { ...UPDATE, lane: 0 },
    { ...HELD_UPDATE, lane: 1 },
    { ...CREATE, lane: 1 },
  ],
  enqueues: [2, 2, 1, 1],
  passes: 12,
  runners: 14,
  recovers: 16,
  cancel: 1,
  rerun: 1,
  edit: 2,
  remove: 1,
  lost: 3,
  fail: 1,
  expire: 1,
  takeback: 1,
  withdraw: 1,
  hop: 2,
  budget: 1,
  skew: 1,
  conflictHold: true,
  maxRecoveries: 2,
  maxRevisions: 3,
  stewards: [ANY, ANY, [APPROVE, REBASE, ALLOW, REJECT], [APPROVE, REBASE, ALLOW, REQUEST_CHANGES]],
};
