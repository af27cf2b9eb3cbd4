import type { Notice } from "../notices/notice.ts";
import { Fresh, Pager, Said, span, Status, When } from "./format.tsx";
import { isListEnd, ListEnd, meaningOf, RunLink, Short } from "./runs-words.tsx";
import type { Html, Shown } from "./shown.ts";
import { Tabs } from "./tabs.tsx";

export type NoticesModel = {
  state: "unread" | "read" | "all";
  items: readonly (Notice & { workflow: string })[];
  nextCursor: string | null;
};

const STATES = [
  ["unread", "Unread"],
  ["read", "Read"],
  ["all", "All"],
] as const;

/** What its owner is told of, newest first. */
export function Notices(model: NoticesModel, shown: Shown): Html {
  const { state, items, nextCursor } = model;
  const unread = items.filter(({ readAt }) => readAt === null);
  return (
    <>
      <div class="head">
        <h1>Notices</h1>
        <Tabs label="Which notices" name="state" standard="unread" shown={shown} on={state} of={STATES} />
      </div>
      <Fresh of="noticeId" at={shown.at} />
      {isListEnd(model, shown) ? (
        <ListEnd />
      ) : items.length === 0 ? (
        <Nothing state={state} goesOn={nextCursor !== null} />
      ) : (
        <ul class="cards">
          {items.map((notice) => (
            <NoticeRow notice={notice} state={state} shown={shown} />
          ))}
        </ul>
      )}
      {shown.mayDecide && unread.length > 1 && (
        <form method="post" action="/steward/notices/read" class="actions">
          <input type="hidden" name="formToken" value={shown.formToken} />
          <input type="hidden" name="state" value={state} />
          {unread.map(({ noticeId }) => (
            <input type="hidden" name="notice" value={noticeId} />
          ))}
          <button type="submit">Mark these {unread.length} as read</button>
        </form>
      )}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

const Nothing = ({ state, goesOn }: { state: NoticesModel["state"]; goesOn: boolean }): Html => (
  <div class="empty">
    <p class="lead">
      {goesOn
        ? "None among those looked through so far."
        : state === "unread"
          ? "Nothing new."
          : "Nothing was noticed yet."}
    </p>
    <p>
      You are told here when a hold has waited for half of its time, when one has expired, and when a run has
      failed.
    </p>
  </div>
);

function NoticeRow(props: { notice: NoticesModel["items"][number]; state: string; shown: Shown }): Html {
  const { notice, state, shown } = props;
  const { noticeId, workflow, readAt } = notice;
  return (
    <li class={readAt === null ? "card row" : "card row is-read"} data-id={notice.noticeId}>
      <div class="what">
        <a
          href={
            notice.holdId === undefined ? `/steward/runs/${notice.runId}` : `/steward/holds/${notice.holdId}`
          }
        >
          <Short text={workflow} />
        </a>{" "}
        {readAt === null && <Status of="new" />}
        <p>
          <Text notice={notice} shown={shown} />
        </p>
        <p class="quiet">
          <When at={notice.at} now={shown.at} /> · <RunLink runId={notice.runId} says="the run" />
          {readAt !== null && (
            <>
              {" "}
              · read <When at={readAt} now={shown.at} />
            </>
          )}
        </p>
      </div>
      {shown.mayDecide && readAt === null && (
        <form method="post" action={`/steward/notices/${noticeId}/read`}>
          <input type="hidden" name="formToken" value={shown.formToken} />
          <input type="hidden" name="state" value={state} />
          <button type="submit" aria-label={`Mark as read: ${workflow}`}>
            Mark as read
          </button>
        </form>
      )}
    </li>
  );
}

function Text({ notice, shown }: { notice: Notice; shown: Shown }): Html {
  const { kind, error, percent, expiresAt } = notice;
  if (kind === "run_failed") {
    return (
      <>
        Failed: {error ? <Said text={error.message} /> : "no reason is known"}
        {error && (
          <>
            {" "}
            <code>{error.code}</code> <span class="quiet">{meaningOf(error.code)?.hint}</span>
          </>
        )}
      </>
    );
  }
  if (kind === "hold_expired") return <>The hold expired undecided, and its run was cancelled.</>;
  const left =
    expiresAt === undefined || expiresAt <= shown.at ? "" : ` It expires in ${span(expiresAt - shown.at)}.`;
  return (
    <>
      Still waits for you: {percent ?? 0}% of its time was over.{left}
    </>
  );
}
