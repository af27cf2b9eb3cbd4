import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** Items by state. */
export function queuePages(_app: PagesApp, _deps: PageDeps): void {}
