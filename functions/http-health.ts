import { httpHandler } from "./middleware/http-handler.ts";
import { openRoute } from "./middleware/route.ts";
import type { Clock } from "../lib/core/clock.ts";
import { systemClock } from "../lib/core/clock.ts";
import packageJson from "../package.json" with { type: "json" };

/** Tells that the deployment answers, and which release it is; asks nothing of any store. */
export function createHandler(deps: { clock: Clock }) {
  return httpHandler(deps, {
    "GET /healthz": openRoute({
      run: async () => ({ status: 200, body: { status: "ok", version: packageJson.version } }),
    }),
  });
}

export const handler = createHandler({ clock: systemClock });
