import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { givenPages, type Visitor } from "./browser.ts";
import { ONE_OF_EACH, openedBefore } from "./fleet.ts";
import { givenOneOfEach, PAGE_KINDS, STATUS, type Ids } from "./page-kinds.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const KINDS = Object.entries(PAGE_KINDS);

let pages: Awaited<ReturnType<typeof givenPages>>;
let ids: Ids;
/** The content policy would keep the examiner out as well. */
let examined: Record<"light" | "dark", Visitor>;
let stranger: Visitor;
beforeAll(async () => {
  pages = await givenPages([{ uid: "stranger", ownerUid: "stranger" }], openedBefore(ONE_OF_EACH));
  ids = await givenOneOfEach(pages);
  const lookedAt = (colorScheme: "light" | "dark") =>
    pages.signIn(undefined, { bypassCSP: true, colorScheme, viewport: { width: 320, height: 640 } });
  examined = { light: await lookedAt("light"), dark: await lookedAt("dark") };
  stranger = await pages.signIn(pages.keys[0]);
});
afterAll(() => pages.stop());

describe.each(KINDS)("%s", (kind, pathOf) => {
  test("has one h1, is as wide as a small phone, and has nothing serious against it", async () => {
    const { page } = examined.light;
    const answer = await page.goto(pathOf(ids));
    expect(answer?.status()).toBe(STATUS[kind] ?? 200);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await faultsOf(page, {})).toEqual([]);
  });

  test("can be read when it is dark", async () => {
    const { page } = examined.dark;
    await page.goto(pathOf(ids));
    expect(await faultsOf(page, { runOnly: ["color-contrast"] })).toEqual([]);
  });
});

/** What an examiner finds serious in a page, with everything on it unfolded. */
async function faultsOf(page: Page, options: { runOnly?: string[] }): Promise<string[]> {
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
  await page.addScriptTag({ content: AXE });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join("\n")}`);
}

/** Pages of one thing. */
const OF_ONE = KINDS.filter(([, pathOf]) => pathOf(mapped(() => "x")) !== pathOf(mapped(() => "y")));

function mapped(of: (id: string) => string): Ids {
  const names = ["hold", "run", "session", "workflow", "memo", "report"] as const;
  return Object.fromEntries(names.map((name) => [name, of(ids?.[name] ?? "")])) as Ids;
}

/** An id of the same form that is nobody's. */
const nobodys = (id: string): string => id.replace(/[0-9a-f]{8}(?=[^0-9a-f]*$)/, "00000000");

test.each(OF_ONE)("%s of another owner is answered as one that is not there", async (_kind, pathOf) => {
  const asked = async (whose: Ids) => {
    const [path = "", query] = pathOf(whose).split("?");
    const answer = await stranger.page.request.get(`${path}.json${query ? `?${query}` : ""}`);
    const {
      requestId: _id,
      instance: _instance,
      ...problem
    } = (await answer.json()) as Record<string, unknown>;
    let text = JSON.stringify(problem);
    for (const id of Object.values(whose)) text = text.replaceAll(id, "the-id");
    return { status: answer.status(), text };
  };
  const foreign = await asked(ids);
  expect(foreign.status).toBe(404);
  expect(foreign).toEqual(await asked(mapped(nobodys)));
});
