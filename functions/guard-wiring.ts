import { createLimiter } from "../lib/rate-limits/limiter.ts";
import { createRateStore } from "../lib/rate-limits/store.ts";
import { createRepeatStore } from "../lib/repeats/store.ts";
import { ENV, optionalEnv } from "./env.ts";
import type { HttpDeps } from "./middleware/http-handler.ts";
import { errorFields } from "./middleware/log.ts";
import { parseSignIn } from "./middleware/sign-in.ts";
import type { Wiring } from "./wiring.ts";

/** What guards the routes of a function beside the key: how often a key writes, requests sent twice, people who sign in. */
export function guardsOf(wiring: Wiring): Pick<HttpDeps, "limiter" | "repeating" | "signIn"> {
  const tables = { control: wiring.env(ENV.controlTable) };
  const perMinute = Number(optionalEnv(ENV.writesPerMinute) ?? 0);
  const onFailure = (what: string) => (error: unknown) => wiring.log.warn(what, errorFields(error));
  return {
    ...(perMinute > 0 && {
      limiter: createLimiter(
        { rates: createRateStore(wiring.doc, tables), onFailure: onFailure("writes not counted") },
        perMinute,
      ),
    }),
    repeating: {
      repeats: createRepeatStore(wiring.doc, tables),
      clock: wiring.clock,
      ids: wiring.ids,
      onFailure: onFailure("request not kept"),
    },
    signIn: parseSignIn(optionalEnv(ENV.signIn)),
  };
}
