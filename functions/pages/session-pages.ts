import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** Sessions and what they asked for. */
export function sessionPages(_app: PagesApp, _deps: PageDeps): void {}
