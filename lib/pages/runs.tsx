import type { runSummary } from "../runs/run-view.ts";
import { Fresh, count, money, Pager, Said, span, Status, When } from "./format.tsx";
import { HOLD_KINDS, isListEnd, ListEnd, meaningOf, MemoLink, Short } from "./runs-words.tsx";
import { Tabs } from "./tabs.tsx";
import type { Html, Shown } from "./shown.ts";

export type ListedRun = ReturnType<typeof runSummary> & {
  workflow: string;
  /** The title of the memo that it has landed in, where that is still there. */
  landedTitle: string | null;
};
export type RunsModel = {
  status: string;
  /** The one workflow whose runs are listed. */
  workflow: { workflowId: string; name: string } | null;
  /** The one session whose runs are listed. */
  session: string | null;
  items: readonly ListedRun[];
  nextCursor: string | null;
};

const STATUSES = [
  ["all", "All"],
  ["running", "Running"],
  ["suspended", "Suspended"],
  ["done", "Done"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
] as const;

/** What was run, newest first. */
export function Runs(model: RunsModel, shown: Shown): Html {
  const { items, nextCursor, workflow, session } = model;
  return (
    <>
      <div class="head">
        <h1>Runs</h1>
        <Tabs label="Which runs" name="status" standard="all" on={model.status} of={STATUSES} shown={shown} />
      </div>
      <Fresh of="runId" at={shown.at} />
      {workflow && (
        <p class="quiet">
          Only runs of{" "}
          <a href={`/steward/workflows/${workflow.workflowId}`}>
            <Said text={workflow.name} />
          </a>
          . <a href="/steward/runs">Show all workflows</a>
        </p>
      )}
      {session !== null && (
        <p class="quiet">
          Only runs of <a href={`/steward/sessions/${encodeURIComponent(session)}`}>one session</a>.{" "}
          <a href="/steward/runs">Show all</a>
        </p>
      )}
      {isListEnd(model, shown) ? (
        <ListEnd />
      ) : items.length === 0 ? (
        <Nothing model={model} />
      ) : (
        <ul class="cards">
          {items.map((run) => (
            <RunRow run={run} shown={shown} />
          ))}
        </ul>
      )}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

const Nothing = ({ model }: { model: RunsModel }): Html => (
  <div class="empty">
    <p class="lead">
      {model.nextCursor === null ? "No runs here." : "None among those looked through so far."}
    </p>
    <p>
      {model.nextCursor === null
        ? "A run begins when a workflow’s item is taken from the queue. What waits to begin is in the queue; a workflow’s page says how to ask for one."
        : "The list goes on with older runs."}
    </p>
  </div>
);

/** One run in a list. */
export function RunRow({ run, shown }: { run: ListedRun; shown: Shown }): Html {
  return (
    <li class="card row" data-id={run.runId}>
      <div class="what">
        <a href={`/steward/runs/${run.runId}`}>
          <Short text={run.workflow} />
        </a>{" "}
        <Status of={run.status} />
        <p class="quiet">
          <Outcome run={run} />
        </p>
      </div>
      <dl class="facts">
        <div>
          <dt>Began</dt>
          <dd>
            <When at={run.createdAt} now={shown.at} />
          </dd>
        </div>
        <div>
          <dt>{run.settledAt === null ? "So far" : "Took"}</dt>
          <dd>{span((run.settledAt ?? shown.at) - run.createdAt)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>{count(run.tokens)}</dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>{money(run.costMicroUsd)}</dd>
        </div>
      </dl>
    </li>
  );
}

/** What came of it, or why it stands where it is. */
function Outcome({ run }: { run: ListedRun }): Html {
  const by = (
    <>
      asked by <Said text={run.requestedBy.username} />
    </>
  );
  if (run.holdId !== null) {
    const what = HOLD_KINDS[run.holdKind ?? "output"];
    return (
      <>
        Waits with <a href={`/steward/holds/${run.holdId}`}>{what}</a> · {by}
      </>
    );
  }
  if (run.landing) {
    return (
      <>
        Landed in <MemoLink memoId={run.landing.memoId} title={run.landedTitle} /> · {by}
      </>
    );
  }
  if (run.error && run.error.code !== "cancelled") {
    return (
      <>
        {meaningOf(run.error.code)?.title ?? "Failed"} · <code>{run.error.code}</code> · {by}
      </>
    );
  }
  if (run.error) {
    return <Said text={capital(run.error.message)} />;
  }
  return <>{run.staged ? <>Staged: nothing was written · {by}</> : <span>{by}</span>}</>;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
