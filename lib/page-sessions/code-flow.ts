import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  None,
  type Configuration,
} from "openid-client";
import { AppError } from "../core/errors.ts";

/** What a browser keeps between going to its issuer and coming back; without it nobody's way back counts. */
export type Flow = { state: string; nonce: string; verifier: string; next: string };

/** Signing in at an OpenID Connect issuer, by the code flow with PKCE as a public client: there is no secret to keep. */
export function createCodeFlow(settings: { issuer: string; clientId: string; secret: () => string }) {
  let known: Promise<Configuration> | undefined;
  const issuer = (): Promise<Configuration> => {
    known ??= discover(settings);
    // A failure is not kept: the next person asks again.
    known.catch(() => (known = undefined));
    return known;
  };

  return {
    /** Where to send the browser, and what it is to keep. @throws {AppError} sign_in_failed when the issuer does not answer */
    async begin(redirectUri: string, next: string): Promise<{ url: string; flow: Flow }> {
      const [state, nonce, verifier] = [settings.secret(), settings.secret(), settings.secret()];
      const url = buildAuthorizationUrl(await told(issuer), {
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid email profile",
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, flow: { state, nonce, verifier, next } };
    },

    /** The verified claims of whoever comes back. @throws {AppError} sign_in_failed for every other way back */
    async finish(callback: URL, { state, nonce, verifier }: Flow): Promise<Record<string, unknown>> {
      const config = await told(issuer);
      const checks = {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      };
      const tokens = await told(() => authorizationCodeGrant(config, callback, checks));
      return { ...tokens.claims() };
    },
  };
}
export type CodeFlow = ReturnType<typeof createCodeFlow>;

async function discover({ issuer, clientId }: { issuer: string; clientId: string }): Promise<Configuration> {
  const server = new URL(issuer);
  // An issuer on this machine has no certificate; every other one must have one.
  const isLoopback = server.hostname === "127.0.0.1" && server.protocol === "http:";
  const config = await discovery(server, clientId, undefined, None(), {
    execute: [enableNonRepudiationChecks, ...(isLoopback ? [allowInsecureRequests] : [])],
    timeout: TIMEOUT_SEC,
  });
  return config;
}

/** An issuer that is slower leaves the person waiting beyond what the gateway allows. */
const TIMEOUT_SEC = 8;

/** What went wrong by its kind alone: what an issuer says of it may hold a code or a token. */
async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const { code, error } = cause as { code?: unknown; error?: unknown };
    const reason = [error, code].find((each) => typeof each === "string" && /^[\w ]{1,60}$/.test(each));
    throw new AppError(
      "sign_in_failed",
      reason ? `the issuer's answer cannot be used: ${String(reason)}` : "the issuer does not answer",
      {},
      { cause },
    );
  }
}
