import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** Rounds, and what they found. */
export function passPages(_app: PagesApp, _deps: PageDeps): void {}
