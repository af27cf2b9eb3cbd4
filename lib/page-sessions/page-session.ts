import type { Principal } from "../core/principal.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/duration.ts";

/** A person who is signed in to the pages; the browser holds the secret whose digest names it. */
export type PageSession = {
  principal: Principal;
  /** What every form of this session carries. */
  formToken: string;
  /** What the cursors of its lists are signed with. */
  cursorKey: string;
  createdAt: number;
  expiresAt: number;
};

/** A link that signs one person in, once. */
export type SignInLink = { principal: Principal; expiresAt: number };

/** A working day. */
export const PAGE_SESSION_MS = 8 * HOUR_MS;
/** As long as it takes to follow a link from a terminal. */
export const LINK_MS = 15 * MINUTE_MS;
/** Rows are kept a day beyond their end, so that a late request is told that it is late. */
export const KEPT_MS = DAY_MS;
