import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { AppError } from "../../lib/core/errors.ts";
import { createCodeFlow } from "../../lib/page-sessions/code-flow.ts";
import { findPageSession } from "../../lib/page-sessions/sign-in.ts";
import { assetAnswer } from "./assets.ts";
import { errorAnswer } from "./error-page.ts";
import { limitWrites } from "../middleware/http-handler.ts";
import { holdPages } from "./hold-pages.ts";
import { issuerPages } from "./issuer-pages.ts";
import { memoPages } from "./memo-pages.ts";
import type { PageDeps } from "./page-deps.ts";
import { HEADERS, refuseLongPaths, refuseOtherSites } from "./page-guards.ts";
import type { PageEnv } from "./page-request.ts";
import type { PagesApp } from "./page.ts";
import { passPages } from "./pass-pages.ts";
import { queuePages } from "./queue-pages.ts";
import { recordPages } from "./record-pages.ts";
import { reportPages } from "./report-pages.ts";
import { runPages } from "./run-pages.ts";
import { sessionPages } from "./session-pages.ts";
import { workflowPages } from "./workflow-pages.ts";
import { presentedSecret } from "./session-cookie.ts";
import { signedOutAnswer, signInPages } from "./sign-in-pages.ts";

/** The steward's pages. Whoever is signed in is known by a cookie of this site alone, and by nothing else of a request. */
export function createPages(deps: PageDeps): PagesApp {
  const app = new Hono<PageEnv>();
  app.use(secureHeaders(HEADERS), refuseLongPaths, refuseOtherSites);
  app.onError((error, c) => errorAnswer(c, error, deps.log));
  app.notFound((c) => {
    throw new AppError("not_found", `nothing is at ${c.req.path}`, { path: c.req.path });
  });
  app.get("/steward/assets/:file", assetAnswer);
  signInPages(app, deps);
  const { signIn, secret: randomSecret } = deps;
  if (signIn) {
    const { issuer, audience } = signIn;
    const clientId = audience[0] ?? "";
    issuerPages(app, deps, signIn, createCodeFlow({ issuer, clientId, secret: randomSecret }));
  }
  app.use(async (c, next) => {
    const secret = presentedSecret(c);
    const session = secret && (await findPageSession(deps, secret));
    if (!session) return signedOutAnswer(c, deps.signIn !== undefined);
    c.set("session", session);
    if (c.req.method === "POST") await limitWrites(deps.limiter, session.principal, c.env.at);
    return next();
  });
  app.get("/steward", (c) => c.redirect("/steward/holds", 302));
  for (const pages of PAGES) pages(app, deps);
  return app;
}

const PAGES = [
  holdPages,
  runPages,
  queuePages,
  sessionPages,
  reportPages,
  workflowPages,
  memoPages,
  passPages,
  recordPages,
];
