import type { HtmlEscapedString } from "hono/utils/html";
import type { Scope } from "../core/principal.ts";

/** Markup whose texts are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What every view knows beside its model: who looks, when, and from where. */
export type Shown = {
  username: string;
  mayDecide: boolean;
  scopes: readonly Scope[];
  /** Epoch ms that every age on the page is counted from. */
  at: number;
  /** Goes into every form. */
  formToken: string;
  /** Path and query of this page. */
  here: string;
  /** The filters that are on. */
  query: Readonly<Record<string, string>>;
};
