import { NAMES as STEWARD } from "../steward/names.ts";
import type { Diagnostic } from "../workflows/diagnostics.ts";
import type { Manifest } from "../workflows/manifest.ts";
import { Said, Status, When } from "./format.tsx";
import { Hash } from "./memo-marks.tsx";
import { DryRun, type DryRunResult } from "./preview.tsx";
import { waitText } from "./queue-waits.ts";
import type { Html, Shown } from "./shown.ts";
import { Listing } from "./workflow-listing.tsx";
import { ManifestPreview } from "./workflow-manifest.tsx";
import { Compiles, type ListedWorkflow } from "./workflows.tsx";

export type WorkflowModel = ListedWorkflow & {
  text: string;
  contentVersion: number;
  contentHash: string;
  updatedAt: number;
  diagnostics: readonly Diagnostic[];
  /** Null where it does not compile. */
  manifest: Manifest | null;
  /** What stands in the form of the dry run. */
  payload: string;
  dryRun: DryRunResult | null;
};

/** A workflow: what is wrong where, what it compiles to, and what it would ask the model. */
export function WorkflowPage(model: WorkflowModel, shown: Shown): Html {
  const { workflowId, command, title, summary, status, lane, manifest, text, diagnostics } = model;
  return (
    <>
      <div class="head">
        <div class="titled">
          <h1>
            <Said text={title} />
          </h1>
          <p class="quiet">
            {command && (
              <>
                <code>
                  <Said text={command} />
                </code>{" "}
                ·{" "}
              </>
            )}
            {model.ours ? (
              "comes with the project"
            ) : (
              <>
                version {model.contentVersion}, written <When at={model.updatedAt} now={shown.at} />
              </>
            )}{" "}
            · sha-256 <Hash of={model.contentHash} />
          </p>
        </div>
        <p class="marks">
          {status && <Status of={status} />}
          <Compiles {...model} />
        </p>
      </div>
      {summary && (
        <p class="lead">
          <Said text={summary} />
        </p>
      )}
      {!manifest && (
        <p class="note bad">
          It does not compile, so nothing of it runs: what is asked for waits until its memo is mended. No
          older version runs in its place.
        </p>
      )}
      {lane.waits && manifest && <p class="note warn">{waitText(lane, shown.at).text}</p>}
      <p class="links">
        {!model.ours && <a href={`/steward/memos/${workflowId}`}>The memo and its versions</a>}
        {workflowId === STEWARD.workflowId && <a href="/steward/session-reports">Its reports</a>}
        <a href={`/steward/runs?workflow=${workflowId}`}>Its runs</a>
        <a href={`/steward/holds?workflow=${workflowId}`}>Its holds</a>
        <a href={`/steward/queue?workflow=${workflowId}`}>Its queue</a>
      </p>
      {manifest && <DryRun workflowId={workflowId} payload={model.payload} result={model.dryRun} />}
      {manifest && <ManifestPreview manifest={manifest} />}
      <section class="sheet" aria-labelledby="text">
        <h2 id="text">What is written</h2>
        <Listing text={text} diagnostics={diagnostics} />
      </section>
    </>
  );
}
