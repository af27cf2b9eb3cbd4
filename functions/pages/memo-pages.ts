import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** The library. */
export function memoPages(_app: PagesApp, _deps: PageDeps): void {}
