import type { listHolds } from "../runs/list-holds.ts";
import { count, money, Pager, Said, span, Tabs, When } from "./format.tsx";
import type { Html, Shown } from "./shown.ts";

export type Listed = Awaited<ReturnType<typeof listHolds>>["items"][number] & {
  /** The workflow's name: its command, or else its title. */
  workflow: string;
};
export type InboxModel = {
  state: "open" | "snoozed" | "all";
  items: readonly Listed[];
  nextCursor: string | null;
};

const STATES = [
  ["open", "Open"],
  ["snoozed", "Snoozed"],
  ["all", "All"],
] as const;

/** What waits for a person. */
export function Inbox(model: InboxModel, shown: Shown): Html {
  const { state, items, nextCursor } = model;
  return (
    <>
      <div class="head">
        <h1>Holds</h1>
        <Tabs label="Which holds" name="state" standard="open" path="/steward/holds" on={state} of={STATES} />
      </div>
      {items.length === 0 ? <Nothing state={state} /> : <List items={items} shown={shown} />}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

const Nothing = ({ state }: Pick<InboxModel, "state">): Html => (
  <div class="empty">
    <p class="lead">{state === "snoozed" ? "Nothing is snoozed." : "Nothing is waiting for you."}</p>
    <p>
      What agents draft waits here until somebody decides. <a href="/steward/passes">Passes</a> show what the
      rounds have done, <a href="/steward/workflows">workflows</a> what may be asked for.
    </p>
  </div>
);

function List({ items, shown }: { items: readonly Listed[]; shown: Shown }): Html {
  return (
    <form method="post" action="/steward/holds/many">
      <input type="hidden" name="formToken" value={shown.formToken} />
      <ul class="cards">
        {items.map((hold) => (
          <li class="card hold">
            {shown.mayDecide && (
              <input
                type="checkbox"
                name="hold"
                value={`${hold.holdId} ${hold.sha256}`}
                aria-label={`Select ${hold.title ?? hold.holdId}`}
              />
            )}
            <div class="what">
              <a href={`/steward/holds/${hold.holdId}`}>
                <Said text={hold.title ?? KINDS[hold.kind]} />
              </a>
              <p class="quiet">
                <Said text={hold.workflow} /> · {effectOf(hold)} · asked by{" "}
                <Said text={hold.requestedBy.username} />
                {hold.revision > 1 && ` · revision ${hold.revision}`}
              </p>
            </div>
            <dl class="facts">
              <div>
                <dt>Waiting</dt>
                <dd>
                  <When at={hold.openedAt} now={shown.at} />
                </dd>
              </div>
              <div>
                <dt>Expires</dt>
                <dd>{hold.expiresAt > shown.at ? `in ${span(hold.expiresAt - shown.at)}` : "now"}</dd>
              </div>
              <div>
                <dt>Cost</dt>
                <dd>{money(hold.costMicroUsd)}</dd>
              </div>
            </dl>
          </li>
        ))}
      </ul>
      {shown.mayDecide && (
        <div class="bulk">
          <button name="act" value="reject">
            Reject selected …
          </button>
          <button name="act" value="snooze">
            Snooze selected for a day
          </button>
        </div>
      )}
    </form>
  );
}

const KINDS = { output: "A draft", conflict: "A conflict", budget: "A question about the budget" } as const;

/** What would be there after an approval that is not there now. */
function effectOf({ kind, target, size }: Listed): string {
  if (kind === "budget") return "the budget is used up";
  if (!target?.memoId) return size ? `a new memo, ${count(size.words)} words` : "a new memo";
  return size ? `changes a memo, +${count(size.added)} −${count(size.removed)} lines` : "changes a memo";
}
