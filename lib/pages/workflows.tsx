import type { laneView } from "../queue/lane-view.ts";
import { count, Pager, Said, Status } from "./format.tsx";
import { waitText } from "./queue-waits.ts";
import type { Html, Shown } from "./shown.ts";

/** What a list says of a workflow. */
export type ListedWorkflow = {
  workflowId: string;
  title: string;
  command: string | null;
  status: string | null;
  summary: string | null;
  /** It comes with the project: no memo holds it, and nobody changes it. */
  ours: boolean;
  compiles: boolean;
  errors: number;
  warnings: number;
  lane: ReturnType<typeof laneView>;
};
export type WorkflowsModel = { items: readonly ListedWorkflow[]; nextCursor: string | null };

/** The workflows of a library: which may run, and what is wrong with the others. */
export function Workflows(model: WorkflowsModel, shown: Shown): Html {
  const { items, nextCursor } = model;
  // Those of the project are always there; whoever has no others is told how to make one.
  const none = items.every(({ ours }) => ours) && nextCursor === null && shown.query["cursor"] === undefined;
  return (
    <>
      <div class="head">
        <h1>Workflows</h1>
      </div>
      {items.length > 0 && (
        <ul class="cards">
          {items.map((workflow) => (
            <Row workflow={workflow} shown={shown} />
          ))}
        </ul>
      )}
      {none && <Nothing />}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

function Row({ workflow, shown }: { workflow: ListedWorkflow; shown: Shown }): Html {
  const { workflowId, command, title, summary, status, lane, ours } = workflow;
  return (
    <li class="card workflow">
      <div class="what">
        <a href={`/steward/workflows/${workflowId}`}>
          <Said text={title} />
        </a>
        {command && (
          <>
            {" "}
            <code>
              <Said text={command} />
            </code>
          </>
        )}
        {summary && (
          <p class="quiet">
            <Said text={summary} />
          </p>
        )}
        {lane.waits && <p class="small">{waitText(lane, shown.at).text}</p>}
      </div>
      <p class="marks">
        {ours && <span class="tag">comes with the project</span>}
        {status && <Status of={status} />}
        <Compiles {...workflow} />
      </p>
    </li>
  );
}

/** Whether a workflow may run at all, in words. */
export function Compiles({
  compiles,
  errors,
  warnings,
}: Pick<ListedWorkflow, "compiles" | "errors" | "warnings">): Html {
  const warned = `${count(warnings)} ${warnings === 1 ? "warning" : "warnings"}`;
  if (!compiles)
    return (
      <span class="status status-error">
        {count(errors)} {errors === 1 ? "error" : "errors"}
        {warnings > 0 && `, ${warned}`}
      </span>
    );
  return warnings > 0 ? (
    <span class="status status-warning">{warned}</span>
  ) : (
    <span class="status status-ok">compiles</span>
  );
}

const Nothing = (): Html => (
  <div class="empty">
    <p class="lead">There is no workflow of yours yet.</p>
    <p>
      A workflow is a memo: what it is asked for, what it reads, what it does in which order, and who has to
      agree. Make one in a terminal:
    </p>
    <pre>
      <code>npx mythos new draft-memo</code>
    </pre>
  </div>
);
