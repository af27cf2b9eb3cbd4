import { getCookie, setCookie, deleteCookie } from "hono/cookie";
import { PAGE_SESSION_MS } from "../../lib/page-sessions/page-session.ts";
import type { PageContext } from "./page-request.ts";

/** A browser takes `__Host-` only over TLS, which the loopback has none of. */
const nameOn = (c: PageContext): string => (isLoopback(c) ? "mythos" : "__Host-mythos");

const optionsOn = (c: PageContext) =>
  ({ path: "/", httpOnly: true, sameSite: "Strict", secure: !isLoopback(c) }) as const;

/** Whether the page is on this machine, where there is no TLS. */
export const isLoopback = (c: PageContext): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(c.req.url).hostname);

/** The secret of whoever is signed in. */
export const presentedSecret = (c: PageContext): string | undefined => getCookie(c, nameOn(c));

export const giveSecret = (c: PageContext, secret: string): void =>
  setCookie(c, nameOn(c), secret, { ...optionsOn(c), maxAge: PAGE_SESSION_MS / 1000 });

export const takeSecret = (c: PageContext): void => void deleteCookie(c, nameOn(c), optionsOn(c));
