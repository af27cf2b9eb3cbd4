import type { readHold } from "../runs/hold-view.ts";
import type { LoadRecord } from "../runs/plan.ts";
import { Said, span, Status, When } from "./format.tsx";
import { ComesFrom } from "./hold-aside.tsx";
import { Flags } from "./hold-flags.tsx";
import { Decide } from "./hold-forms.tsx";
import { HoldHistory } from "./hold-history.tsx";
import { Outcome } from "./hold-outcome.tsx";
import { HOLD_VIEWS, HoldTabs } from "./hold-tabs.tsx";
import { HoldContent } from "./hold-content.tsx";
import { Question } from "./hold-question.tsx";
import type { Html, Shown } from "./shown.ts";

export type HoldView = (typeof HOLD_VIEWS)[number];
export type Hold = Awaited<ReturnType<typeof readHold>>;

/** A version of the target: the zone that the proposal is for. */
export type MemoSide = {
  contentVersion: number;
  text: string;
  tags: readonly string[];
  updatedAt: number;
  writtenBy: string;
};

export type HoldModel = {
  hold: Hold;
  view: HoldView;
  /** The workflow's title. */
  workflow: string;
  steps: readonly {
    id: string;
    kind: string;
    status: string;
    tokens: number;
    ms: number | null;
    model: string | null;
  }[];
  loads: readonly LoadRecord[];
  budget: unknown;
  manifestHash: string | null;
  manifestDrift: boolean | null;
  itemKey: string;
  session: { sessionId: string; name: string | null } | null;
  /** The target as the draft found it; null for a new memo. */
  before: MemoSide | null;
  /** The target as it is now, where that is another version than the draft found. */
  now: MemoSide | null;
  /** The target as it is now; null when there is none. */
  memo: { title: string; contentVersion: number } | null;
  /** The draft before this one, where it is looked at. */
  earlier: string | null;
  /** The hold that came after this one. */
  next: string | null;
  snoozedUntil: number | null;
  mayTakeBack: boolean;
  decidedByMe: boolean;
  /** What a decision from this page is called, so that a second click is the same one. */
  decisionId: string;
};

export const holdTitle = ({ hold }: Pick<HoldModel, "hold">): string =>
  hold.proposal?.title ?? "A budget is used up";

/** One hold: what would come of an approval, where it comes from, and what may be said of it. */
export function HoldPage(model: HoldModel, shown: Shown): Html {
  const { hold, workflow } = model;
  return (
    <>
      <p class="small">
        <a href="/steward/holds">All holds</a>
      </p>
      <div class="head">
        <div class="what">
          <h1>
            <Said text={holdTitle(model)} />
          </h1>
          <p class="quiet">
            <Effect model={model} /> by{" "}
            <a href={`/steward/workflows/${hold.run.workflowId}`}>
              <Said text={workflow} />
            </a>
          </p>
        </div>
        {hold.open && shown.mayDecide && (
          <a class="button" href="#decide">
            To your decision
          </a>
        )}
        <Age model={model} shown={shown} />
      </div>
      <Flags model={model} shown={shown} />
      <Outcome model={model} shown={shown} />
      <div class="beside">
        <div class="stack">
          {hold.kind === "budget" && hold.question && <Question model={model} />}
          <div class="sheet">
            <HoldTabs model={model} />
            <HoldContent model={model} shown={shown} />
          </div>
          {shown.mayDecide && hold.open && <Decide model={model} shown={shown} />}
          <HoldHistory model={model} shown={shown} />
        </div>
        <ComesFrom model={model} shown={shown} />
      </div>
    </>
  );
}

/** What would be there after an approval that is not there now. */
function Effect({ model: { hold, memo } }: { model: HoldModel }): Html {
  if (!hold.proposal) return <>A step that was stopped,</>;
  const { target, zone } = hold.proposal;
  const what = zone === "notes" ? "the notes of " : "";
  if (target.kind === "create") return <>A new memo, {target.visibility},</>;
  return (
    <>
      Changes {what}
      <a href={`/steward/memos/${target.memoId}`}>
        <Said text={memo?.title ?? "a memo that is gone"} />
      </a>
    </>
  );
}

/** How long it has waited, and what happens when nobody says anything. */
function Age({ model: { hold }, shown }: { model: HoldModel; shown: Shown }): Html {
  const { openedAt, expiresAt, decision } = hold;
  if (!hold.open) return <Status of={decision ? wordOf(decision.verdict) : "closed"} />;
  return (
    <dl class="facts">
      <div>
        <dt>Opened</dt>
        <dd>
          <When at={openedAt} now={shown.at} />
        </dd>
      </div>
      <div>
        <dt>Expires</dt>
        <dd>
          {expiresAt > shown.at ? `in ${span(expiresAt - shown.at)}` : "with the next round"}
          <span class="quiet">, then nothing is written</span>
        </dd>
      </div>
    </dl>
  );
}

const WORDS: Record<string, string> = {
  approve: "approved",
  approve_edited: "approved",
  rebase: "approved",
  replace: "approved",
  keep_both: "approved",
  request_changes: "sent back",
  reject: "rejected",
  expire: "expired",
  cancel: "cancelled",
  allow_once: "allowed once",
};
const wordOf = (verdict: string): string => WORDS[verdict] ?? verdict;
