import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** Notices, and the record of what was asked for. */
export function recordPages(_app: PagesApp, _deps: PageDeps): void {}
