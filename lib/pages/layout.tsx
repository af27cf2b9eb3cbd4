import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { printableInLine } from "../core/printable.ts";
import { ASSETS } from "./assets.ts";
import type { Html, Shown } from "./shown.ts";

const NAV = [
  ["holds", "Holds"],
  ["runs", "Runs"],
  ["queue", "Queue"],
  ["sessions", "Sessions"],
  ["workflows", "Workflows"],
  ["memos", "Memos"],
  ["session-reports", "Steward"],
  ["passes", "Passes"],
  ["cost", "Cost"],
  ["notices", "Notices"],
  ["audit", "Audit"],
] as const;

/** A whole document around what one page shows. */
export function Layout(props: { title: string; shown: Shown; children: Child }): Html {
  const { title, shown, children } = props;
  const at = shown.here.split(/[/?]/)[2] ?? "";
  return (
    <Document title={title}>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="bar">
        <a class="brand" href="/steward/holds">
          Mythos Loops
        </a>
        <nav aria-label="Pages">
          <ul>
            {NAV.map(([path, name]) => (
              <li>
                <a href={`/steward/${path}`} aria-current={at === path ? "page" : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <form class="who" method="post" action="/steward/sign-out">
          <input type="hidden" name="formToken" value={shown.formToken} />
          <span>
            <bdi>{shown.username}</bdi> <span class="role">{roleOf(shown)}</span>
          </span>
          <button type="submit" class="link">
            Sign out
          </button>
        </form>
      </header>
      <main id="main" tabindex={-1}>
        {children}
      </main>
    </Document>
  );
}

/** The outermost of every page, also of those for nobody. */
export function Document(props: { title: string; children: Child; goOnTo?: string }): Html {
  const { title, children, goOnTo } = props;
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          {goOnTo !== undefined && <meta http-equiv="refresh" content={`0; url=${goOnTo}`} />}
          <title>{`${printableInLine(title)} · Mythos Loops`}</title>
          <link rel="stylesheet" href={ASSETS["steward.css"].href} />
          <link rel="icon" href="data:," />
          <script src={ASSETS["steward.js"].href} defer></script>
        </head>
        <body>{children}</body>
      </html>
    </>
  );
}

/** What a person may do here, in one word. */
export const roleOf = ({ scopes, mayDecide }: Pick<Shown, "scopes" | "mayDecide">): string =>
  !mayDecide ? "reader" : scopes.includes("keys:admin") ? "owner" : "steward";
