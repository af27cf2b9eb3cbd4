import { printableInLine } from "../core/printable.ts";
import { truncate } from "../core/text.ts";
import type { listHolds } from "../runs/list-holds.ts";
import { Fresh, count, money, Pager, Said, span, When } from "./format.tsx";
import { Nothing } from "./hold-none.tsx";
import { holdTone } from "./hold-words.ts";
import type { Html, Shown } from "./shown.ts";
import { Tabs } from "./tabs.tsx";

export type Listed = Awaited<ReturnType<typeof listHolds>>["items"][number] & {
  /** The workflow's name: its command, or else its title. */
  workflow: string;
  /** The title of the memo that would change; null for a new one, or one that is gone. */
  memo: string | null;
  /** Whether that memo is another version now than the draft was made on. */
  targetChanged: boolean;
};
/** Something that was decided, for whoever finds nothing to decide. */
export type DecidedLately = {
  holdId: string;
  verdict: string;
  username: string;
  at: number;
  title: string | null;
};
export type InboxModel = {
  state: "open" | "snoozed" | "all";
  sort: "age" | "expiry";
  workflow: { workflowId: string; name: string } | null;
  workflows: readonly { workflowId: string; name: string }[];
  items: readonly Listed[];
  nextCursor: string | null;
  /** Looked for only where the list is empty. */
  lately: readonly DecidedLately[];
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
        <Tabs label="Which holds" name="state" standard="open" shown={shown} on={state} of={STATES} />
      </div>
      <Fresh of="holdId" at={shown.at} />
      {(items.length > 1 || model.workflow !== null || model.sort === "expiry") && <Filters model={model} />}
      {items.length === 0 ? <Nothing model={model} shown={shown} /> : <List items={items} shown={shown} />}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

const Filters = ({ model: { state, sort, workflow, workflows } }: { model: InboxModel }): Html => (
  <form method="get" action="/steward/holds" class="filters">
    {state !== "open" && <input type="hidden" name="state" value={state} />}
    <div class="field">
      <label for="workflow">Workflow</label>
      <select id="workflow" name="workflow">
        <option value="">all</option>
        {workflows.map(({ workflowId, name }) => (
          <option value={workflowId} selected={workflowId === workflow?.workflowId}>
            {name}
          </option>
        ))}
      </select>
    </div>
    <div class="field">
      <label for="sort">Order</label>
      <select id="sort" name="sort">
        <option value="age">oldest first</option>
        <option value="expiry" selected={sort === "expiry"}>
          expires first
        </option>
      </select>
    </div>
    <button>Show</button>
  </form>
);

function List({ items, shown }: { items: readonly Listed[]; shown: Shown }): Html {
  const cards = <Cards items={items} shown={shown} />;
  if (!shown.mayDecide) return cards;
  return (
    <form method="post" action="/steward/holds/many">
      <input type="hidden" name="formToken" value={shown.formToken} />
      {cards}
      <div class="bulk">
        <button name="act" value="reject">
          Reject selected …
        </button>
        <button name="act" value="snooze">
          Snooze selected for a day
        </button>
      </div>
    </form>
  );
}

function Cards({ items, shown }: { items: readonly Listed[]; shown: Shown }): Html {
  return (
    <ul class="cards">
      {items.map((hold) => (
        <li class="card hold" data-id={hold.holdId}>
          {shown.mayDecide && (
            <input
              type="checkbox"
              name="hold"
              value={`${hold.holdId} ${hold.sha256}`}
              aria-label={`Select ${truncate(printableInLine(hold.title ?? KINDS[hold.kind]), 60)}`}
            />
          )}
          <div class="what">
            <a href={`/steward/holds/${hold.holdId}`}>
              <Said text={hold.title ?? KINDS[hold.kind]} />
            </a>
            <p class="quiet">
              <Said text={hold.workflow} /> · <Effect hold={hold} /> · asked by{" "}
              <Said text={hold.requestedBy.username} />
            </p>
            <Flags hold={hold} at={shown.at} />
          </div>
          <dl class="facts">
            <div>
              <dt>Opened</dt>
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
  );
}

const KINDS = { output: "A draft", conflict: "A conflict", budget: "A question about the budget" } as const;

/** What would be there after an approval that is not there now. */
function Effect({ hold: { kind, target, size, memo, title } }: { hold: Listed }): Html {
  if (kind === "budget" || !target) return <>a limit is used up</>;
  if (target.kind === "create") return <>a new memo{size && `, ${count(size.words)} words`}</>;
  return (
    <>
      {memo === null ? (
        "changes a memo that is gone"
      ) : memo === title ? (
        "changes this memo"
      ) : (
        <>
          changes <Said text={memo} />
        </>
      )}
      {size && `, +${count(size.added)} −${count(size.removed)} lines`}
    </>
  );
}

/** What sets a hold apart, in a word or two each. */
function Flags({ hold, at }: { hold: Listed; at: number }): Html {
  const { kind, revision, guards, expiresAt, openedAt, snoozedUntil } = hold;
  const failed = guards.filter(({ passed }) => !passed).map(({ guard }) => guard);
  const flags: [says: string | false, tone: "warn" | "bad" | "plain"][] = [
    [kind === "conflict" && "conflict: changed before it landed", "warn"],
    [kind === "output" && hold.targetChanged && "changed since it was drafted", "warn"],
    [revision > 1 && `revision ${revision}`, "plain"],
    [failed.length > 0 && `refused by ${failed.join(", ")}`, "bad"],
    [at > openedAt + (expiresAt - openedAt) * 0.9 && "expires soon", "warn"],
    [snoozedUntil !== null && `snoozed for ${span(snoozedUntil - at)}`, "plain"],
  ];
  const on = flags.filter(([says]) => says !== false);
  if (on.length === 0) return <></>;
  return (
    <p class="flags">
      {on.map(([says, tone]) => (
        <span class={`status ${holdTone(tone)}`}>{says}</span>
      ))}
    </p>
  );
}
