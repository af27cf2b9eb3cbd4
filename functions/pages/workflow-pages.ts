import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** Workflows, as they compile now. */
export function workflowPages(_app: PagesApp, _deps: PageDeps): void {}
