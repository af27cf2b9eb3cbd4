import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** Runs and what each of them did. */
export function runPages(_app: PagesApp, _deps: PageDeps): void {}
