import { laneOf } from "./scenario.ts";
import {
  ABSENT,
  CANCELLED,
  PENDING,
  SETTLING,
  isEnded,
  itemAt,
  newHead,
  replaced,
  spend,
  type State,
} from "./state.ts";
import { makeReady, setItem } from "./store-writes.ts";
import { end, go, settleAt, wrote, type StepsOf } from "./step.ts";

const listed = (s: State, item: number): State => ({ ...s, order: [...s.order, item] });

/** Enqueue, rerun, and the cancelling of a pending item. */
export const enqueueSteps: StepsOf<"enqueue" | "rerun" | "withdraw"> = {
  "enqueue.put"(c, s, p) {
    const readyFirst = c.rules.enqueueOrder === "ready-item";
    const item = itemAt(s, p.item);
    if (item.status !== ABSENT) {
      if (p.retry && p.hit)
        return go("answer was lost, own item recognised", s, p, "enqueue.ready", { hit: 0 });
      const label = `item ${p.item} exists (${item.status}): duplicate`;
      return c.rules.dupReady === "yes" && !readyFirst ? go(label, s, p, "enqueue.ready") : end(label, s);
    }
    const put = setItem(s, p.item, { status: PENDING, generation: 1 });
    const label = `put item ${p.item}`;
    const out = readyFirst
      ? end(label, listed(put, p.item))
      : wrote(label, listed(put, p.item), p, "enqueue.ready", { hit: 1 });
    if (s.left.chances.skew > 0 && put.order.length > 0) {
      out.push({
        label: `put item ${p.item} with an older pendingAt (clock skew)`,
        state: spend({ ...put, order: [p.item, ...put.order] }, "skew"),
        next: readyFirst ? null : { ...p, at: "enqueue.ready" },
        applied: false,
      });
    }
    return out;
  },

  "enqueue.ready"(c, s, p) {
    const lane = laneOf(c.scenario, p.item);
    const n = makeReady(c, s, lane);
    return c.rules.enqueueOrder === "ready-item" && p.kind === "enqueue"
      ? go(`lane ${lane} ready`, n, p, "enqueue.put")
      : end(`lane ${lane} ready`, n);
  },

  "rerun.put"(c, s, p) {
    const item = itemAt(s, p.item);
    const next = item.generation + 1;
    if (item.status === PENDING && item.generation === p.generation + 1 && c.rules.dupReady === "yes") {
      const label = `item ${p.item} is already pending, generation ${item.generation}`;
      return go(label, s, p, "enqueue.ready");
    }
    if (!isEnded(item.status) || item.generation !== p.generation)
      return end(`item ${p.item} is not settled at generation ${p.generation}`, s);
    const n = setItem(s, p.item, { status: PENDING, generation: next });
    return go(`item ${p.item} -> pending, generation ${next}`, listed(n, p.item), p, "enqueue.ready");
  },

  "withdraw.put"(c, s, p) {
    if (c.rules.withdraw === "item") {
      return itemAt(s, p.item).status === PENDING
        ? end(`pending item ${p.item} -> cancelled`, setItem(s, p.item, { status: CANCELLED }))
        : end("item is not pending", s);
    }
    if (s.heads[p.run] !== null) return go(`run ${p.run} exists`, s, p, "cancel.decide");
    const head = { ...newHead(), status: SETTLING, outcome: CANCELLED, epoch: 1 } as const;
    const label = `put HEAD of run ${p.run}, settling (cancelled)`;
    return go(label, { ...s, heads: replaced(s.heads, p.run, head) }, p, settleAt(c), {
      outcome: CANCELLED,
    });
  },
};
