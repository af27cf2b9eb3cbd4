import { principalOf } from "../lib/api-keys/key-record.ts";
import { findKey, type FoundKey } from "../lib/api-keys/keys.ts";
import { stampUse } from "../lib/api-keys/last-use.ts";
import { cursorKeyOf, type PepperSource } from "../lib/api-keys/pepper.ts";
import { createKeyStore, type KeyStore } from "../lib/api-keys/store.ts";
import type { Clock } from "../lib/core/clock.ts";
import { ENV } from "./env.ts";
import { peppersFrom, readPeppers } from "./key-wiring.ts";
import type { AuthorizerContext } from "./middleware/authenticate.ts";
import { headerOf, type HttpEvent } from "./middleware/http-event.ts";
import { errorFields, type Log } from "./middleware/log.ts";
import { createDoc, wired } from "./wiring.ts";

type Deps = {
  keys: Pick<KeyStore, "readKey" | "stampUse">;
  peppers: PepperSource;
  clock: Clock;
  log?: Log;
};
type AuthorizerEvent = Pick<HttpEvent, "headers">;
type Answer = { isAuthorized: true; context: AuthorizerContext };

/**
 * Says who is calling. It never refuses: the handler answers 401, 403 and 503 as problem+json, which the gateway
 * cannot. The answer depends on the key alone, never on the route, so a cached one is right for every route.
 */
export function createHandler(deps: Deps): (event: AuthorizerEvent) => Promise<Answer> {
  return async (event) => {
    try {
      const found = await findKey(deps, presentedKey(event));
      if (!found) return { isAuthorized: true, context: { principal: "" } };
      await noteUse(deps, found);
      const principal = principalOf(found.record);
      const cursorKey = cursorKeyOf(found.pepper, principal.ownerUid);
      return { isAuthorized: true, context: { principal: JSON.stringify(principal), cursorKey } };
    } catch (error) {
      deps.log?.error("key not looked up", errorFields(error));
      return { isAuthorized: true, context: { principal: "", unavailable: "1" } };
    }
  };
}

/** Here, because every key is read here on every request anyway: it costs a write an hour and key, and no read. */
async function noteUse(deps: Deps, { record }: FoundKey): Promise<void> {
  try {
    await stampUse(deps, record);
  } catch (error) {
    // Whoever calls is known all the same.
    deps.log?.warn("use of a key not noted", errorFields(error));
  }
}

function presentedKey(event: AuthorizerEvent): string {
  const bearer = /^Bearer +(\S+)$/i.exec(headerOf(event.headers, "authorization")?.trim() ?? "")?.[1];
  return bearer ?? headerOf(event.headers, "x-api-key")?.trim() ?? "";
}

export const handler = wired(createHandler, ({ clock, env, log }) => ({
  // Ends before this function's timeout of 5 s: after it the gateway would answer 500 instead of our 503.
  keys: createKeyStore(createDoc({ requestTimeoutMs: 1000, maxAttempts: 3 }), {
    control: env(ENV.controlTable),
  }),
  peppers: peppersFrom(readPeppers, clock),
  clock,
  log,
}));
