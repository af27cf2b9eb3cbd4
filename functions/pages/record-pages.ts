import { auditPage } from "./audit-page.ts";
import { noticePages } from "./notice-pages.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PagesApp } from "./page.ts";

/** Notices, and the record of what was asked for. */
export function recordPages(app: PagesApp, deps: PageDeps): void {
  noticePages(app, deps);
  auditPage(app, deps);
}
