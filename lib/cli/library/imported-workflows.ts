import type { Imported, ShownDiagnostic, ShownWorkflow } from "../../client/answers.ts";
import { sectionsOf } from "../author/workflow-files.ts";
import type { Api } from "../connection.ts";

/** What was imported, with what an author would want to know of it. */
export type Looked = Imported & {
  /** Of a workflow; undefined of a note, and where the host did not say. */
  compiles?: boolean;
  diagnostics?: ShownDiagnostic[];
  hint?: string;
};

/** Up to here each workflow is asked for by itself; more of them are read as one list. */
const ASKED_ALONE = 5;

/** Says of each workflow whether it compiles in this library, and of a note that it was nearly a workflow. */
export async function looked(
  api: Api,
  files: readonly Imported[],
  sources: readonly { path: string; text: string }[],
): Promise<Looked[]> {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const workflows = await workflowsOf(api, files.filter(isWorkflow));
  return files.map((file): Looked => {
    if (file.outcome === "refused") return file;
    if (!isWorkflow(file)) return { ...file, ...nearlyWorkflow(texts.get(file.path) ?? "") };
    const workflow = workflows.get(file.memoId ?? "");
    if (!workflow) return file;
    const { compiles, diagnostics } = workflow;
    const first = diagnostics.find(({ severity }) => severity === "error");
    const at =
      first && `${first.range.start.line}:${first.range.start.column} ${first.code} ${first.message}`;
    return { ...file, compiles, diagnostics, ...(!compiles && { hint: `does not compile: ${at ?? ""}` }) };
  });
}

const isWorkflow = ({ outcome, memoType }: Imported): boolean =>
  outcome !== "refused" && memoType === "workflow";

/** What the host cannot be asked stays unsaid: the import has been done. */
async function workflowsOf(api: Api, files: readonly Imported[]): Promise<Map<string, ShownWorkflow>> {
  const found = new Map<string, ShownWorkflow>();
  if (files.length > ASKED_ALONE) {
    const all = await api.list<ShownWorkflow>("/api/workflows?limit=100", Infinity);
    for (const workflow of all) found.set(workflow.workflowId, workflow);
    return found;
  }
  for (const { memoId = "" } of files) {
    const answer = await api.ask<ShownWorkflow>("GET", `/api/workflows/${memoId}`);
    if (answer.ok) found.set(memoId, answer.value);
  }
  return found;
}

function nearlyWorkflow(text: string): { hint?: string } {
  const { has, lacks } = sectionsOf(text);
  if (has.length < 2) return {};
  const missing = lacks.length === 0 ? "" : `, lacks ${lacks.join(" and ")}`;
  return {
    hint: `is a note: it has ${has.join(" and ")}${missing}; type: workflow in its front matter makes it one`,
  };
}
