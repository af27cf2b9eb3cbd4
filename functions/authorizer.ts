import { verifyKey } from "../lib/api-keys/keys.ts";
import { createKeyStore, type KeyStore } from "../lib/api-keys/store.ts";
import { ENV } from "./env.ts";
import type { AuthorizerContext } from "./middleware/authenticate.ts";
import { headerOf, type HttpEvent } from "./middleware/http-event.ts";
import { errorFields, type Log } from "./middleware/log.ts";
import { createDoc, wired } from "./wiring.ts";

type Deps = { keys: Pick<KeyStore, "readKey">; pepper: string; log?: Log };
type AuthorizerEvent = Pick<HttpEvent, "headers">;
type Answer = { isAuthorized: true; context: AuthorizerContext };

/**
 * Says who is calling. It never refuses: the handler answers 401, 403 and 503 as problem+json, which the gateway
 * cannot. The answer depends on the key alone, never on the route, so a cached one is right for every route.
 */
export function createHandler(deps: Deps): (event: AuthorizerEvent) => Promise<Answer> {
  return async (event) => {
    try {
      const principal = await verifyKey(deps, presentedKey(event));
      return { isAuthorized: true, context: { principal: principal ? JSON.stringify(principal) : "" } };
    } catch (error) {
      deps.log?.error("key not looked up", errorFields(error));
      return { isAuthorized: true, context: { principal: "", unavailable: "1" } };
    }
  };
}

function presentedKey(event: AuthorizerEvent): string {
  const bearer = /^Bearer +(\S+)$/i.exec(headerOf(event.headers, "authorization")?.trim() ?? "")?.[1];
  return bearer ?? headerOf(event.headers, "x-api-key")?.trim() ?? "";
}

export const handler = wired(createHandler, ({ env, log }) => ({
  // Ends before this function's timeout of 5 s: after it the gateway would answer 500 instead of our 503.
  keys: createKeyStore(createDoc({ requestTimeoutMs: 1000, maxAttempts: 3 }), {
    control: env(ENV.controlTable),
  }),
  pepper: env(ENV.keyPepper),
  log,
}));
