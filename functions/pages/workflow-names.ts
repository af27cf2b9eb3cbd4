import type { Catalog } from "../../lib/memos/catalog.ts";
import { BUNDLED } from "../bundled-workflows.ts";

/** The titles of an owner's workflows by their ids; an id stands for itself where the memo is gone. */
export async function workflowNames(
  { catalog }: { catalog: Pick<Catalog, "workflows"> },
  ownerUid: string,
): Promise<(workflowId: string) => string> {
  const titles = new Map([
    ...(await catalog.workflows(ownerUid)).map(({ memoId, title }) => [memoId as string, title] as const),
    ...BUNDLED.map(({ workflowId, manifest }) => [workflowId as string, manifest.title] as const),
  ]);
  return (workflowId) => titles.get(workflowId) ?? workflowId;
}
