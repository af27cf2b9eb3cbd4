import type * as z from "zod";
import { AppError } from "../../lib/core/errors.ts";
import { headerOf } from "./http-event.ts";
import { openRoute, type Route } from "./route.ts";
import { sameSecret } from "./same-secret.ts";

/** A route for whoever operates the deployment: `x-internal-key` is looked at before anything else of the request. */
export function internalRoute<S extends z.ZodType = z.ZodUndefined>(
  internalKey: string,
  rules: Parameters<typeof openRoute<S>>[0],
): Route {
  const open = openRoute<S>(rules);
  return {
    access: "open",
    declared: { ...open.declared, internal: true },
    async answer(call) {
      if (!sameSecret(headerOf(call.event.headers, "x-internal-key") ?? "", internalKey)) {
        throw new AppError("unauthenticated", "x-internal-key is missing or wrong", {});
      }
      return (open as Extract<Route, { access: "open" }>).answer(call);
    },
  };
}
