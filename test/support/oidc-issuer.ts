import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What the issuer says of whoever comes; each may be spoilt by a test. */
export type Person = { sub: string; email: string; [claim: string]: unknown };

/** An OpenID Connect issuer on the loopback: the code flow with PKCE, signed tokens, and one person who always agrees. */
export async function startIssuer(clientId: string) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map<string, { nonce: string; challenge: string; redirectUri: string }>();
  const says = {
    person: { sub: "ana-1", email: "ana@example.org" } as Person,
    spoil: {} as object,
    refuses: "",
  };
  let url = "";

  const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  function idToken(nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: url,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce,
      ...says.person,
      ...says.spoil,
    };
    const signed = `${base64({ alg: "RS256", kid: "k1", typ: "JWT" })}.${base64(claims)}`;
    return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
  }

  const server = createServer((request, response) => {
    const at = new URL(request.url ?? "/", url);
    const json = (body: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (at.pathname === "/.well-known/openid-configuration") {
      return json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        code_challenge_methods_supported: ["S256"],
      });
    }
    if (at.pathname === "/jwks") {
      return json({
        keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "RS256", use: "sig" }],
      });
    }
    if (at.pathname === "/authorize") {
      const asked = (name: string) => at.searchParams.get(name) ?? "";
      const back = new URL(asked("redirect_uri"));
      back.searchParams.set("state", asked("state"));
      if (says.refuses) back.searchParams.set("error", says.refuses);
      else {
        const code = randomUUID();
        grants.set(code, {
          nonce: asked("nonce"),
          challenge: asked("code_challenge"),
          redirectUri: back.origin,
        });
        back.searchParams.set("code", code);
      }
      return response.writeHead(302, { location: back.href }).end();
    }
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const form = new URLSearchParams(body);
      const grant = grants.get(form.get("code") ?? "");
      grants.delete(form.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (!grant || grant.challenge !== challenge) return json({ error: "invalid_grant" }, 400);
      return json({
        access_token: "a",
        token_type: "Bearer",
        expires_in: 300,
        id_token: idToken(grant.nonce),
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    says,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
