import { AppError } from "../lib/core/errors.ts";
import { rawMember } from "../lib/core/json-slice.ts";
import { laneKey } from "../lib/core/keys.ts";
import { EnqueueRequest, enqueueItem, type EnqueueDeps } from "../lib/intake/enqueue-item.ts";
import { itemIdOf, itemPlace } from "../lib/queue/item.ts";
import { itemView } from "../lib/queue/item-view.ts";
import { createSessionStore } from "../lib/sessions/store.ts";
import { ENV } from "./env.ts";
import { guardsOf } from "./guard-wiring.ts";
import { queueListRoutes, type QueueListsDeps } from "./http-queue-lists.ts";
import { libraryOf } from "./library-wiring.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { route } from "./middleware/route.ts";
import { passesOf } from "./pass-record.ts";
import { enqueueDepsOf } from "./tell-wiring.ts";
import { wired } from "./wiring.ts";

type Deps = HttpDeps & EnqueueDeps & QueueListsDeps;

/** Work goes in here: one item, and what became of it. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    ...queueListRoutes(deps),
    "POST /api/workflows/{idOrCommand}/items": route({
      scope: "items:enqueue",
      body: EnqueueRequest,
      // The envelope around the largest payload.
      maxBodyBytes: 264 * 1024,
      async run({ principal, params, body: request, bodyText, session: sessionId }) {
        const payloadText = rawMember(bodyText, "payload") ?? "{}";
        const given = { request, payloadText, sessionId };
        const answer = await enqueueItem(deps, params["idOrCommand"] ?? "", principal, given);
        const { enqueued, reason, item, runId, status, why, payloadMatches } = answer;
        const body = { enqueued, reason, itemId: item.itemId, runId, status, why, payloadMatches };
        // Of the payload that is kept, and of the one that was sent: they differ where the key was taken.
        const hashes = { payloadHash: item.payloadHash, sentPayloadHash: answer.sentPayloadHash };
        return { status: enqueued ? 202 : 200, body: { ...body, ...hashes, dedupeKey: item.dedupeKey } };
      },
    }),
    "GET /api/items/{id}": route({
      scope: "runs:read",
      async run({ principal, params }) {
        const itemId = params["id"] ?? "";
        const place = itemPlace(itemId);
        const item =
          place && (await deps.queue.readItem(laneKey(principal.ownerUid, place.workflowId), place.itemKey));
        if (!item || item.generation < place.generation) {
          throw new AppError("item_not_found", `there is no item ${itemId}`, { itemId });
        }
        return {
          status: 200,
          body: itemView(item, itemIdOf(item.workflowId, item.itemKey, place.generation)),
        };
      },
    }),
  });
}

export const handler = wired(createHandler, (wiring) => {
  const library = libraryOf(wiring);
  return {
    ...guardsOf(wiring),
    log: wiring.log,
    sessions: createSessionStore(wiring.doc, { sessions: wiring.env(ENV.sessionsTable) }),
    catalog: library.catalog,
    passes: passesOf(wiring),
    ...enqueueDepsOf(wiring, library),
  };
});
