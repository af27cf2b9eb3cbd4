import { createHmac } from "node:crypto";
import * as z from "zod";
import { digestOf } from "../../lib/core/ids.ts";
import { SCOPES, type Principal } from "../../lib/core/principal.ts";
import type { HttpEvent } from "./http-event.ts";

/** Whose tokens are accepted, and whose library their bearers are in. */
const SignIn = z.strictObject({
  issuer: z.string(),
  audience: z.array(z.string()).min(1),
  /** The claim that names the owner; without it everybody the issuer lets in is in the library of `ownerUid`. */
  ownerClaim: z.string().nullable(),
  ownerUid: z.string().nullable(),
  /** What keys of cursors are made of; of the deployment, and in no answer. */
  seed: z.string(),
});
export type SignIn = z.infer<typeof SignIn>;

export const parseSignIn = (text: string | undefined): SignIn | undefined =>
  text === undefined ? undefined : SignIn.parse(JSON.parse(text));

/** As in a lane's key, where `#` divides. */
const OWNER_FORM = /^[\w.@:|-]{1,128}$/;

/** What the gateway has verified of a token; undefined on a route without that authorizer. */
export function claimsOf(event: HttpEvent): Record<string, unknown> | undefined {
  const parsed = z
    .object({ jwt: z.object({ claims: z.record(z.string(), z.unknown()) }) })
    .safeParse(event.requestContext.authorizer);
  return parsed.success ? parsed.data.jwt.claims : undefined;
}

/**
 * The person whom verified claims name; undefined when they are of another issuer or audience, or name no owner.
 * Nothing of it comes from what the caller wrote beside the token.
 */
export function personOf(signIn: SignIn, claims: Record<string, unknown>): Principal | undefined {
  const text = (name: string): string | undefined => {
    const claim = claims[name];
    return typeof claim === "string" && claim !== "" ? claim : undefined;
  };
  const subject = text("sub");
  // The gateway compares both too; an event of another route must not pass for one of its.
  const isOurs =
    text("iss") === signIn.issuer &&
    signIn.audience.some((each) => listOf(text("aud")).includes(each) || text("client_id") === each);
  const ownerUid = signIn.ownerClaim === null ? signIn.ownerUid : text(signIn.ownerClaim);
  if (!isOurs || subject === undefined || !ownerUid || !OWNER_FORM.test(ownerUid)) return undefined;
  const uid = `oidc_${digestOf([signIn.issuer, subject])}`;
  return {
    principalId: `human:${uid}`,
    kind: "human",
    ownerUid,
    uid,
    username: (text("email") ?? text("preferred_username") ?? text("cognito:username") ?? subject).slice(
      0,
      120,
    ),
    scopes: SCOPES,
  };
}

/** The key of a signed-in person's cursors. */
export const signedInCursorKey = ({ seed }: SignIn, ownerUid: string): string =>
  createHmac("sha256", seed).update(`cursor\0${ownerUid}`).digest("base64url");

/** HTTP APIs write a list of claims as `[a b]`. */
const listOf = (claim: string | undefined): string[] => (claim ?? "").replace(/^\[|\]$/g, "").split(/[ ,]+/);
