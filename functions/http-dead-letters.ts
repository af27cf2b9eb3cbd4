import * as z from "zod";
import { listDeadLetters } from "../lib/dead-letters/list.ts";
import { REDRIVE_MAX, redriveDeadLetters } from "../lib/dead-letters/redrive.ts";
import { createDeadLetterStore, type DeadLetterStore } from "../lib/dead-letters/store.ts";
import { ENV } from "./env.ts";
import { httpHandler, type HttpDeps } from "./middleware/http-handler.ts";
import { internalRoute } from "./middleware/internal-route.ts";
import { checked } from "./middleware/parse-body.ts";
import { sqsClient, wired } from "./wiring.ts";

type Deps = Omit<HttpDeps, "sessions"> & { deadLetters: DeadLetterStore; internalKey: string };

const queue = z.enum(["run", "wake"]);
const ListQuery = z.object({ queue });
const RedriveRequest = z.strictObject({ queue, max: z.int().min(1).max(REDRIVE_MAX).optional() });

/** Doorbells that were given up: what they are, and the way back. For operators, with the key of the cron route. */
export function createHandler(deps: Deps) {
  return httpHandler(deps, {
    "GET /api/internal/dead-letters": internalRoute(deps.internalKey, {
      query: ListQuery,
      async run({ query }) {
        return { status: 200, body: await listDeadLetters(deps, checked(ListQuery, query, "query").queue) };
      },
    }),
    "POST /api/internal/dead-letters/redrive": internalRoute(deps.internalKey, {
      body: RedriveRequest,
      async run({ body }) {
        const answer = await redriveDeadLetters(deps, body.queue, body.max);
        deps.log?.info("dead letters redriven", answer);
        return { status: 200, body: answer };
      },
    }),
  });
}

export const handler = wired(createHandler, ({ clock, log, env }) => ({
  clock,
  log,
  internalKey: env(ENV.internalKey),
  deadLetters: createDeadLetterStore(sqsClient(), {
    run: { source: env(ENV.runQueueUrl), deadLetters: env(ENV.runDeadLettersUrl) },
    wake: { source: env(ENV.wakeQueueUrl), deadLetters: env(ENV.wakeDeadLettersUrl) },
  }),
}));
