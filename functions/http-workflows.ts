import { AppError } from "../lib/core/errors.ts";
import { laneKey } from "../lib/core/keys.ts";
import type { FoundWorkflow } from "../lib/intake/workflow-library.ts";
import { ListPlace } from "../lib/memos/list.ts";
import { laneView } from "../lib/queue/lane-view.ts";
import type { QueueStore } from "../lib/queue/store.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { waitingReason } from "../lib/workflows/lane-state.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { previewRoutes, type PreviewRouteDeps } from "./http-workflows-preview.ts";
import { libraryOf } from "./library-wiring.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { route } from "./middleware/route.ts";
import { previewDepsOf } from "./preview-wiring.ts";
import { queueOf } from "./queue-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & PreviewRouteDeps & { queue: Pick<QueueStore, "readLane"> };

/** Workflows as they compile now: what they take, whether they may run, and what is wrong where. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    ...previewRoutes(deps),
    "GET /api/workflows": route({
      scope: "memos:read",
      async run({ principal, paging }) {
        const limit = paging.limit({ max: 100, standard: 100 });
        const after = paging.after(ListPlace);
        const { workflows, next } = await deps.workflows.page(principal.ownerUid, { limit, after });
        return { status: 200, body: paging.page(workflows.map(summary), next) };
      },
    }),
    "GET /api/workflows/{idOrCommand}": route({
      scope: "memos:read",
      async run({ principal, params }) {
        const workflow = params["idOrCommand"] ?? "";
        const found = await deps.workflows.find(principal.ownerUid, workflow);
        if (!found)
          throw new AppError("workflow_not_found", `there is no workflow ${workflow}`, { workflow });
        const lane = await deps.queue.readLane(laneKey(principal.ownerUid, found.memo.memoId));
        const { compiled } = found;
        const manifest = compiled.ok ? compiled.manifest : null;
        return { status: 200, body: { ...summary(found), lane: laneView(lane), manifest } };
      },
    }),
  });
}

function summary({ memo, compiled }: FoundWorkflow) {
  const trigger = compiled.ok ? compiled.manifest.trigger : null;
  return {
    workflowId: memo.memoId,
    title: memo.title,
    contentVersion: memo.contentVersion,
    command: compiled.ok ? compiled.manifest.trigger.command : compiled.command,
    status: trigger?.status ?? null,
    summary: trigger?.summary ?? null,
    inputs: trigger?.inputs ?? [],
    compiles: compiled.ok,
    waits: waitingReason(compiled),
    manifestHash: compiled.ok ? compiled.manifest.manifestHash : null,
    diagnostics: compiled.diagnostics,
  };
}

export const handler = wired(createHandler, (wiring) => {
  const library = libraryOf(wiring, { sizes: true });
  return {
    ...guardsOf(wiring),
    clock: wiring.clock,
    log: wiring.log,
    sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
    workflows: library.workflows,
    queue: queueOf(wiring),
    preview: previewDepsOf(wiring, library),
  };
});
