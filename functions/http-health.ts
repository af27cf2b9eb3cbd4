import { httpHandler } from "./middleware/http-handler.ts";
import { openRoute } from "./middleware/route.ts";
import type { Clock } from "../lib/core/clock.ts";
import { systemClock } from "../lib/core/clock.ts";
import openApi from "../openapi.json" with { type: "json" };
import packageJson from "../package.json" with { type: "json" };

/** Tells that the deployment answers, which release it is and what it takes; asks nothing of any store. */
export function createHandler(deps: { clock: Clock }) {
  return httpHandler(deps, {
    "GET /healthz": openRoute({
      run: async () => ({ status: 200, body: { status: "ok", version: packageJson.version } }),
    }),
    "GET /openapi.json": openRoute({
      run: async () => ({ status: 200, body: openApi, headers: { "cache-control": "public, max-age=300" } }),
    }),
  });
}

export const handler = createHandler({ clock: systemClock });
