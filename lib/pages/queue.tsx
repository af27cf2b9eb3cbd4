import type { itemView } from "../queue/item-view.ts";
import type { laneView } from "../queue/lane-view.ts";
import { count, Pager, Said, When } from "./format.tsx";
import { waitText } from "./queue-waits.ts";
import { isListEnd, ListEnd, Short } from "./runs-words.tsx";
import { Tabs } from "./tabs.tsx";
import type { Html, Shown } from "./shown.ts";

export type ListedItem = ReturnType<typeof itemView>;
export type ListedLane = { workflowId: string; workflow: string } & ReturnType<typeof laneView>;
export type QueueModel = {
  status: keyof typeof MEANS;
  /** The one workflow whose items are listed, as it was asked for. */
  workflow: string | null;
  lanes: readonly ListedLane[];
  items: readonly ListedItem[];
  nextCursor: string | null;
};

const STATES = [
  ["pending", "Pending"],
  ["claimed", "Claimed"],
  ["done", "Done"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
] as const;

const MEANS = {
  pending: "Asked for, and not begun. The oldest of each workflow goes first.",
  claimed: "A run has taken it and has not ended: it is at work, or waits for a decision.",
  done: "Its run has ended well.",
  failed: "Its run has failed, or it could not be begun. The run says why.",
  cancelled: "Withdrawn, refused, or left undecided until its hold expired.",
} as const;

const NOTHING = {
  pending: "Nothing waits to begin.",
  claimed: "Nothing is at work.",
  done: "Nothing is done yet.",
  failed: "Nothing has failed.",
  cancelled: "Nothing was cancelled.",
} as const;

/** What was asked for, by how far it has come. */
export function Queue(model: QueueModel, shown: Shown): Html {
  const { status, lanes, items, nextCursor, workflow } = model;
  return (
    <>
      <div class="head">
        <h1>Queue</h1>
        <Tabs label="Which items" name="status" standard="pending" on={status} of={STATES} shown={shown} />
      </div>
      <p class="quiet">
        {MEANS[status]}
        {workflow !== null && (
          <>
            {" "}
            Only one workflow is shown. <a href={`/steward/queue?status=${status}`}>Show all</a>
          </>
        )}
      </p>
      {isListEnd(model, shown) ? <ListEnd /> : items.length === 0 && <Nothing model={model} />}
      {lanes.map((lane) => {
        const own = items.filter(({ workflowId }) => workflowId === lane.workflowId);
        return <Lane lane={lane} items={own} status={status} shown={shown} />;
      })}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

const Nothing = ({ model: { status, nextCursor } }: { model: QueueModel }): Html => (
  <div class="empty">
    <p class="lead">{nextCursor === null ? NOTHING[status] : "None among those looked through so far."}</p>
    <p>
      {nextCursor === null ? (
        <>
          Agents, schedules and people put items here; each becomes one <a href="/steward/runs">run</a>. What
          may be asked for is on the <a href="/steward/workflows">workflows</a> page.
        </>
      ) : (
        "The list goes on."
      )}
    </p>
  </div>
);

function Lane(props: {
  lane: ListedLane;
  items: readonly ListedItem[];
  status: QueueModel["status"];
  shown: Shown;
}): Html {
  const { lane, items, status, shown } = props;
  const waits = status === "pending" ? waitText(lane, shown.at) : null;
  return (
    <section class="lane" aria-labelledby={lane.workflowId}>
      <div class="head">
        <h2 id={lane.workflowId}>
          <a href={`/steward/workflows/${lane.workflowId}`}>
            <Short text={lane.workflow} />
          </a>
        </h2>
        <p class="quiet small">
          {lane.inFlight.length > 0 &&
            `${count(lane.inFlight.length)} ${lane.inFlight.length === 1 ? "run" : "runs"} at work · `}
          {lane.servedAt === null ? (
            "never served"
          ) : (
            <>
              last served <When at={lane.servedAt} now={shown.at} />
            </>
          )}
        </p>
      </div>
      {waits && (
        <p class={waits.stuck ? "note warn" : "quiet"}>
          {waits.text}
          {waits.stuck && (
            <>
              {" "}
              <a href={`/steward/workflows/${lane.workflowId}`}>See the workflow</a>
            </>
          )}
        </p>
      )}
      <ul class="cards">
        {items.map((item) => (
          <ItemRow item={item} shown={shown} />
        ))}
      </ul>
    </section>
  );
}

function ItemRow({ item, shown }: { item: ListedItem; shown: Shown }): Html {
  const what = <Said text={item.payload ?? item.dedupeKey} />;
  const endedAt = item.settledAt ?? item.claimedAt;
  return (
    <li class="card row">
      <div class="what">
        {item.status === "pending" ? (
          <span class="mono">{what}</span>
        ) : (
          <a class="mono" href={`/steward/runs/${item.runId}`}>
            {what}
          </a>
        )}
        <p class="quiet">
          asked by <Said text={item.requestedBy.username} />
          {item.generation > 1 && ` · generation ${count(item.generation)}`}
          {!item.dedupeKey.startsWith("sha256:") && (
            <>
              {" "}
              · key{" "}
              <span class="mono">
                <Short text={item.dedupeKey} />
              </span>
            </>
          )}
        </p>
      </div>
      <dl class="facts">
        <div>
          <dt>Asked for</dt>
          <dd>
            <When at={item.enqueuedAt} now={shown.at} />
          </dd>
        </div>
        {endedAt !== null && (
          <div>
            <dt>{item.settledAt === null ? "Begun" : "Ended"}</dt>
            <dd>
              <When at={endedAt} now={shown.at} />
            </dd>
          </div>
        )}
      </dl>
    </li>
  );
}
