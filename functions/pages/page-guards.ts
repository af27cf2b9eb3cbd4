import type { secureHeaders } from "hono/secure-headers";
import { AppError } from "../../lib/core/errors.ts";
import { shortOnes } from "../middleware/route.ts";
import type { PageContext } from "./page-request.ts";

const SELF = ["'self'"];
/** What a browser is told it may do with a page. */
export const HEADERS: Parameters<typeof secureHeaders>[0] = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: SELF,
    styleSrc: SELF,
    imgSrc: [...SELF, "data:"],
    connectSrc: SELF,
    formAction: SELF,
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
  referrerPolicy: "no-referrer",
  crossOriginOpenerPolicy: "same-origin",
  crossOriginResourcePolicy: "same-origin",
  xContentTypeOptions: true,
  xFrameOptions: "DENY",
  strictTransportSecurity: "max-age=31536000",
};

/** What could be no id or name of ours is none on any page, whether it is read or posted to. */
export async function refuseLongPaths(c: PageContext, next: () => Promise<void>): Promise<void> {
  shortOnes(Object.fromEntries(c.req.path.split("/").map((part, at) => [String(at), decoded(part)])));
  await next();
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * A form of another site is refused by where the browser says it comes from, before anything of it is read. Without
 * a referrer the origin of a form is told as null, so it counts only where the browser says nothing better.
 */
export async function refuseOtherSites(c: PageContext, next: () => Promise<void>): Promise<void> {
  const site = c.req.header("sec-fetch-site");
  const isOurs =
    site === undefined
      ? URL.parse(c.req.header("origin") ?? "")?.host === c.req.header("host")
      : site === "same-origin";
  if (c.req.method === "POST" && !isOurs) {
    throw new AppError("form_expired", "this form comes from another site", {});
  }
  await next();
}
