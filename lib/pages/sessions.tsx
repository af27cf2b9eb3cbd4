import type { ListedSession } from "../sessions/store.ts";
import { Fresh, count, Pager, Said, Status } from "./format.tsx";
import { isListEnd, ListEnd } from "./runs-words.tsx";
import { Marked } from "./session-verdict.tsx";
import { Beat, doingOf, lastSignOf } from "./sessions-heartbeat.tsx";
import type { Html, Shown } from "./shown.ts";

export type SessionsModel = { items: readonly ListedSession[]; nextCursor: string | null };

/** Who has worked here, latest first. */
export function Sessions(model: SessionsModel, shown: Shown): Html {
  const { items, nextCursor } = model;
  return (
    <>
      <div class="head">
        <h1>Sessions</h1>
        <p class="quiet">Sessions are tracking, not authentication: they grant nothing.</p>
      </div>
      <Fresh of="sessionId" at={shown.at} />
      {isListEnd(model, shown) ? (
        <ListEnd />
      ) : items.length === 0 ? (
        <div class="empty">
          <p class="lead">No sessions yet.</p>
          <p>
            An agent opens one to name what it works on, and sends its id with each request:{" "}
            <code>npx mythos sessions start</code>
          </p>
        </div>
      ) : (
        <ul class="cards">
          {items.map((session) => (
            <SessionRow session={session} shown={shown} />
          ))}
        </ul>
      )}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

function SessionRow({ session, shown }: { session: ListedSession; shown: Shown }): Html {
  const doing = session.status === "live" ? doingOf(session.heartbeat) : null;
  return (
    <li class="card row" data-id={session.sessionId}>
      <div class="what">
        <a href={`/steward/sessions/${session.sessionId}`}>
          <Said text={session.name} />
        </a>{" "}
        <Status of={session.status} /> <Marked session={session} />
        <p>
          <Said text={session.purpose} />
        </p>
        <p class="quiet">
          <Beat at={lastSignOf(session)} now={shown.at} />
          {doing && ` · ${doing}`}
        </p>
      </div>
      <dl class="facts">
        <div>
          <dt>Requests</dt>
          <dd>{count(session.requestCount)}</dd>
        </div>
        <div>
          <dt>Opened by</dt>
          <dd class="cut">
            <Said text={session.createdBy.username} />
          </dd>
        </div>
        <div>
          <dt>Origin</dt>
          <dd class="cut">
            <Said text={session.origin ?? session.originClass} />
          </dd>
        </div>
      </dl>
    </li>
  );
}
