import { AppError } from "../../lib/core/errors.ts";
import {
  endPageSession,
  findPageSession,
  linkHolder,
  signInByLink,
} from "../../lib/page-sessions/sign-in.ts";
import { SignedOut, SignIn } from "../../lib/pages/sign-in.tsx";
import { formOf, ownWordsOf, readForm } from "./form.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";
import type { PageContext } from "./page-request.ts";
import { giveSecret, presentedSecret, takeSecret } from "./session-cookie.ts";

/** Signing in and out. These pages need nobody to be known. */
export function signInPages(app: PagesApp, deps: PageDeps): void {
  app.get("/steward/sign-in", async (c) => {
    const token = c.req.query("t");
    if (token === undefined) return c.html(SignedOut({ reason: "out", byIssuer: deps.signIn !== undefined }));
    const holder = await linkHolder(deps, token);
    // A click and not the link itself signs in: what looks at links before a person does would use them up, and
    // a cookie of this site alone is not sent by the request that another site's link begins.
    return holder
      ? c.html(SignIn({ username: holder.username, token, next: nextOf(c.req.query("next")) }))
      : c.html(SignedOut({ reason: "late" }), 403);
  });
  app.post("/steward/sign-in", async (c) => {
    const form = await readForm(c);
    const signedIn = await signInByLink(deps, form.text("token") ?? "");
    if (!signedIn) return c.html(SignedOut({ reason: "late" }), 403);
    giveSecret(c, signedIn.secret);
    return c.redirect(nextOf(form.text("next")), 303);
  });
  app.post("/steward/sign-out", async (c) => {
    const secret = presentedSecret(c);
    const session = secret && (await findPageSession(deps, secret));
    if (session) {
      c.set("session", session);
      await formOf(c);
      await endPageSession(deps, secret);
    }
    takeSecret(c);
    return c.redirect("/steward/sign-in", 303);
  });
}

/** Where to go on: a page of ours, whatever was asked for. */
export function nextOf(asked: string | undefined): string {
  const home = "https://home.invalid";
  // Taken apart as a browser would, so that no dots, backslashes or second address lead elsewhere.
  const url = URL.parse(asked ?? "", home);
  const isOurs = url?.origin === home && /^\/steward(?:\/(?!api\/|sign-)[\w/.-]*)?$/.test(url.pathname);
  return isOurs ? `${url.pathname}${url.search}` : "/steward/holds";
}

/** What a page answers to nobody. */
export async function signedOutAnswer(c: PageContext, byIssuer: boolean): Promise<Response> {
  const here = new URL(c.req.url);
  // A form's path is no page: back to the one that it stands on.
  const page = c.req.method === "GET" ? here.pathname + here.search : here.pathname.replace(/\/[a-z-]+$/, "");
  if (c.env.wantsJson) throw new AppError("unauthenticated", "nobody is signed in to the pages", {});
  const words = await ownWordsOf(c);
  return c.html(SignedOut({ reason: "out", byIssuer, next: nextOf(page), words }), 401);
}
