import type { Child } from "hono/jsx";
import type { Heartbeat } from "../sessions/heartbeat.ts";
import type { Session } from "../sessions/session.ts";
import { count, Said, span, When } from "./format.tsx";
import { Beat, doingOf, lastSignOf } from "./sessions-heartbeat.tsx";
import type { Html, Shown } from "./shown.ts";

/** What is known of a session: by its requests, and by what its agent says of itself. */
export function SessionFacts(props: {
  session: Session & { heartbeat: Heartbeat | null };
  shown: Shown;
}): Html {
  const { session, shown } = props;
  const { heartbeat, lastCaller } = session;
  return (
    <section class="sheet" aria-label="Facts">
      <dl class="pairs">
        <Fact says="Heartbeat">
          <Beat at={lastSignOf(session)} now={shown.at} />
          {session.status === "live" && doingOf(heartbeat) && ` · ${doingOf(heartbeat)}`}
        </Fact>
        <Fact says="Requests">{count(session.requestCount)}</Fact>
        <Fact says="Opened">
          <When at={session.createdAt} now={shown.at} /> by <Said text={session.createdBy.username} />
        </Fact>
        <Fact says="Origin">
          <Said text={session.origin ?? "not said"} /> ({session.originClass})
        </Fact>
        {lastCaller && (
          <Fact says="Last caller">
            <Said text={lastCaller.username} />
            {lastCaller.keyId !== null && (
              <>
                {" "}
                by key <code>…{lastCaller.keyId.slice(-6)}</code>
              </>
            )}
          </Fact>
        )}
        {session.parentSessionId !== null && (
          <Fact says="Opened from">
            <a href={`/steward/sessions/${session.parentSessionId}`}>another session</a>
          </Fact>
        )}
        {session.keepAlive && <Fact says="Keep">never ended by a rule</Fact>}
        {session.status === "ended" && (
          <Fact says="Ended">
            <When at={session.endedAt} now={shown.at} /> by <Said text={session.endedBy.username} />
            {session.outcome !== null && (
              <>
                : <Said text={session.outcome} />
              </>
            )}
          </Fact>
        )}
        {heartbeat && <Reported heartbeat={heartbeat} shown={shown} />}
        <Fact says="Id">
          <code>{session.sessionId}</code>
        </Fact>
      </dl>
      <p class="quiet small">
        Sessions are tracking, not authentication: whoever sends this id only says in which session a request
        belongs. What a request may do comes from its key alone.
      </p>
    </section>
  );
}

function Reported({ heartbeat, shown }: { heartbeat: Heartbeat; shown: Shown }): Html {
  const { tokensIn, tokensOut, turnsCompleted, lastTurnErroredAt, lastTurnError, host } = heartbeat;
  return (
    <>
      {turnsCompleted !== undefined && <Fact says="Turns">{count(turnsCompleted)}</Fact>}
      {(tokensIn !== undefined || tokensOut !== undefined) && (
        <Fact says="Own tokens">
          {count(tokensIn ?? 0)} in, {count(tokensOut ?? 0)} out, as its agent says
        </Fact>
      )}
      {lastTurnErroredAt != null && (
        <Fact says="Last error">
          {span(shown.at - lastTurnErroredAt)} ago
          {lastTurnError != null && (
            <>
              : <Said text={lastTurnError} />
            </>
          )}
        </Fact>
      )}
      {host?.name !== undefined && (
        <Fact says="Host">
          <Said text={host.name} />
        </Fact>
      )}
    </>
  );
}

/** One fact with its name. */
export const Fact = ({ says, children }: { says: string; children: Child }): Html => (
  <div>
    <dt>{says}</dt>
    <dd>{children}</dd>
  </div>
);
