import { laneKey } from "../../lib/core/keys.ts";
import type { FoundWorkflow } from "../../lib/intake/workflow-library.ts";
import { laneView } from "../../lib/queue/lane-view.ts";
import type { PageDeps } from "./page-deps.ts";

/** What a list says of a workflow. */
export function listed({ memo, compiled, peopleOnly }: FoundWorkflow) {
  const trigger = compiled.ok ? compiled.manifest.trigger : null;
  const { diagnostics } = compiled;
  const sum = (of: string) => diagnostics.filter(({ severity }) => severity === of).length;
  return {
    workflowId: memo.memoId as string,
    title: memo.title,
    command: compiled.ok ? compiled.manifest.trigger.command : compiled.command,
    status: trigger?.status ?? (compiled.ok ? null : compiled.status),
    summary: trigger?.summary ?? null,
    /** It comes with the project. */
    ours: peopleOnly !== undefined,
    compiles: compiled.ok,
    errors: sum("error"),
    warnings: sum("warning"),
  };
}

/** How the lane of a workflow stands, as the last write that was seen left it. */
export const laneOf = async ({ queue }: Pick<PageDeps, "queue">, ownerUid: string, { memo }: FoundWorkflow) =>
  laneView(await queue.readLane(laneKey(ownerUid, memo.memoId), { asHint: true }));
