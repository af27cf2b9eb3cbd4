import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import * as z from "zod";
import { AppError } from "../../lib/core/errors.ts";
import type { CodeFlow } from "../../lib/page-sessions/code-flow.ts";
import { openPageSession } from "../../lib/page-sessions/sign-in.ts";
import { Arrived } from "../../lib/pages/sign-in.tsx";
import { personOf, type SignIn } from "../middleware/sign-in.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";
import type { PageContext } from "./page-request.ts";
import { giveSecret, isLoopback } from "./session-cookie.ts";
import { nextOf } from "./sign-in-pages.ts";

const BEGIN = "/steward/sign-in/issuer";
const CALLBACK = "/steward/sign-in/callback";
const COOKIE = "mythos-way-back";
const TEN_MINUTES_SEC = 600;
const Flow = z.strictObject({
  state: z.string().min(1),
  nonce: z.string().min(1),
  verifier: z.string().min(1),
  next: z.string(),
});

/** Signing in by the organisation's own issuer, where one is set up. */
export function issuerPages(app: PagesApp, deps: PageDeps, signIn: SignIn, codeFlow: CodeFlow): void {
  app.get(BEGIN, async (c) => {
    const { url, flow } = await codeFlow.begin(addressOf(c, CALLBACK), nextOf(c.req.query("next")));
    setCookie(c, COOKIE, Buffer.from(JSON.stringify(flow)).toString("base64url"), {
      path: CALLBACK,
      httpOnly: true,
      secure: !isLoopback(c),
      // The way back begins at another site.
      sameSite: "Lax",
      maxAge: TEN_MINUTES_SEC,
    });
    return c.redirect(url, 302);
  });
  app.get(CALLBACK, async (c) => {
    const flow = flowOf(getCookie(c, COOKIE));
    deleteCookie(c, COOKIE, { path: CALLBACK });
    if (!flow) throw new AppError("sign_in_failed", "this browser did not begin here, or too long ago", {});
    const callback = new URL(new URL(c.req.url).search, addressOf(c, CALLBACK));
    const person = personOf(signIn, await codeFlow.finish(callback, flow));
    if (!person) throw new AppError("sign_in_failed", "the token names nobody of this deployment", {});
    const { secret } = await openPageSession(deps, person);
    giveSecret(c, secret);
    // A page and no redirect: a cookie of this site alone is not sent by a request that another site began.
    return c.html(Arrived({ username: person.username, next: nextOf(flow.next) }));
  });
}

function flowOf(cookie: string | undefined): z.infer<typeof Flow> | undefined {
  try {
    const text = Buffer.from(cookie ?? "", "base64url").toString("utf8");
    return Flow.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** One of our paths as the browser and the issuer know it. */
const addressOf = (c: PageContext, path: string): string =>
  `${isLoopback(c) ? "http" : "https"}://${new URL(c.req.url).host}${path}`;
