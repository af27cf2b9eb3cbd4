import type { Heartbeat } from "../sessions/heartbeat.ts";
import type { Session } from "../sessions/session.ts";
import type { TimelineEntry } from "../sessions/timeline.ts";
import { count, money, Pager, Said, span, Status, When } from "./format.tsx";
import { RunLink, Short } from "./runs-words.tsx";
import { SessionFacts } from "./session-facts.tsx";
import { StewardNote } from "./session-verdict.tsx";
import type { ListedRun } from "./runs.tsx";
import type { Html, Shown } from "./shown.ts";

export type SessionModel = {
  session: Session & { heartbeat: Heartbeat | null };
  /** On the first page alone: its newest runs, and what those that were counted cost together. */
  runs: {
    counted: number;
    complete: boolean;
    tokens: number;
    costMicroUsd: number | null;
    items: readonly Omit<ListedRun, "landedTitle">[];
  } | null;
  items: readonly TimelineEntry[];
  nextCursor: string | null;
};

/** One session: who it is, what it asked for, what came of it. */
export function SessionPage({ session, runs, items, nextCursor }: SessionModel, shown: Shown): Html {
  return (
    <>
      <p class="small">
        <a href="/steward/sessions">All sessions</a>
      </p>
      <div class="head">
        <h1>
          <Said text={session.name} />
        </h1>
        <Status of={session.status} />
      </div>
      <p class="lead">
        <Said text={session.purpose} />
      </p>
      <StewardNote session={session} shown={shown} />
      <SessionFacts session={session} shown={shown} />
      {runs && <RunsOfSession session={session} runs={runs} shown={shown} />}
      <section class="sheet" aria-labelledby="requests">
        <h2 id="requests">What happened in it</h2>
        {items.length === 0 ? (
          <p class="quiet">No request has named this session within the last 30 days.</p>
        ) : (
          <div class="scroll" tabindex={0} role="region" aria-label="Requests and runs, newest first">
            <table>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">What</th>
                  <th scope="col">By</th>
                  <th scope="col">Answer</th>
                  <th scope="col" class="number">
                    Took
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((entry) => (
                  <Entry entry={entry} shown={shown} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        <Pager here={shown.here} nextCursor={nextCursor} />
      </section>
    </>
  );
}

function Entry({ entry, shown }: { entry: TimelineEntry; shown: Shown }): Html {
  const at = (
    <td class="nowrap">
      <When at={entry.at} now={shown.at} />
    </td>
  );
  if (entry.kind === "run") {
    const { run } = entry;
    return (
      <tr>
        {at}
        <td>
          <RunLink runId={run.runId} says="Run" /> of <Short text={String(run["workflow"])} />
        </td>
        <td />
        <td>
          <Status of={String(run["status"])} />
        </td>
        <td />
      </tr>
    );
  }
  return (
    <tr>
      {at}
      <td>
        <code>{entry.route}</code>
        {entry.command !== null && (
          <span class="quiet">
            {" "}
            <Said text={entry.command} />
          </span>
        )}
      </td>
      <td>
        <Said text={entry.caller.username} />
      </td>
      <td>{entry.status}</td>
      <td class="number">{entry.ms < 1000 ? `${entry.ms} ms` : span(entry.ms)}</td>
    </tr>
  );
}

function RunsOfSession(props: {
  session: Session;
  runs: NonNullable<SessionModel["runs"]>;
  shown: Shown;
}): Html {
  const { session, runs, shown } = props;
  const all = `/steward/runs?session=${session.sessionId}`;
  return (
    <section class="sheet" aria-labelledby="runs">
      <div class="head">
        <h2 id="runs">Runs</h2>
        <p class="quiet small">
          {runs.counted > 0 &&
            `${runs.complete ? "" : "the newest "}${count(runs.counted)}: ${count(runs.tokens)} tokens, ${money(runs.costMicroUsd)}`}
        </p>
      </div>
      {runs.items.length === 0 ? (
        <p class="quiet">Nothing that was asked for in this session has begun.</p>
      ) : (
        <div class="scroll" tabindex={0} role="region" aria-label="Runs of this session, newest first">
          <table>
            <thead>
              <tr>
                <th scope="col">Workflow</th>
                <th scope="col">State</th>
                <th scope="col">Began</th>
                <th scope="col" class="number">
                  Tokens
                </th>
                <th scope="col" class="number">
                  Cost
                </th>
              </tr>
            </thead>
            <tbody>
              {runs.items.map((run) => (
                <tr>
                  <td>
                    <a href={`/steward/runs/${run.runId}`}>
                      <Short text={run.workflow} />
                    </a>
                  </td>
                  <td>
                    <Status of={run.status} />
                  </td>
                  <td class="nowrap">
                    <When at={run.createdAt} now={shown.at} />
                  </td>
                  <td class="number">{count(run.tokens)}</td>
                  <td class="number">{money(run.costMicroUsd)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(runs.counted > runs.items.length || !runs.complete) && (
        <p>
          <a href={all}>All runs of this session</a>
        </p>
      )}
    </section>
  );
}
