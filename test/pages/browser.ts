import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright-core";
import type { Host } from "../../infra/local/host.ts";
import { clientOf } from "../e2e/client.ts";
import { givenHost, type Before, type Person } from "../e2e/test-host.ts";

/** Debian's package; nothing is downloaded. */
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
export const ARGS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** A browser of one person who is signed in, and what it has complained of. */
export type Visitor = { context: BrowserContext; page: Page; complaints: string[] };

/** A host and a browser; each visitor has a profile of its own. */
export async function givenPages(people: readonly Person[] = [], before?: Before) {
  const { host, keys, stop } = await givenHost(people, before);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  return {
    host,
    keys,
    browser,
    signIn: (key = host.keys.stewardKey, options?: BrowserContextOptions) =>
      signIn(browser, host, key, options),
    async stop() {
      await browser.close();
      await stop();
    },
  };
}

/** Signs a person in as they would: by a link, and a click. */
async function signIn(
  browser: Browser,
  host: Host,
  key: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: host.url, ...options });
  const complaints = complaintsOf(context, host.url);
  const page = await context.newPage();
  const { path } = await clientOf(host, key).post<{ path: string }>("/api/sign-in-links", {});
  await page.goto(path);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/steward/holds");
  return { context, page, complaints };
}

/** Requests that left the origin, scripts that failed and what the content policy refused. */
function complaintsOf(context: BrowserContext, origin: string): string[] {
  const complaints: string[] = [];
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:")) complaints.push(`request to ${url}`);
  });
  context.on("weberror", (error) => complaints.push(`script: ${error.error().message}`));
  context.on("console", (message) => {
    if (/Content Security Policy|Trusted Type/i.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
