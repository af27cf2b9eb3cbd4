import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { givenPages } from "./browser.ts";
import { ONE_OF_EACH, openedBefore } from "./fleet.ts";
import { givenOneOfEach, PAGE_KINDS, type Ids } from "./page-kinds.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

const OUTPUT = join(import.meta.dirname, "output");

let pages: Awaited<ReturnType<typeof givenPages>>;
let ids: Ids;
beforeAll(async () => {
  pages = await givenPages([], openedBefore(ONE_OF_EACH));
  ids = await givenOneOfEach(pages);
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT);
});
afterAll(() => pages.stop());

/** `PICTURES=all` takes the other two as well. */
const LOOKS = [
  [1280, "light"],
  [390, "dark"],
  ...(process.env["PICTURES"] === "all"
    ? ([
        [1280, "dark"],
        [390, "light"],
      ] as const)
    : []),
] as const;

test.each(LOOKS)(
  "every page can be looked at and complains of nothing, %i px wide and %s",
  async (width, colorScheme) => {
    const viewport = { width, height: 900 };
    const { page, context, complaints } = await pages.signIn(undefined, {
      viewport,
      colorScheme,
      reducedMotion: "reduce",
    });
    for (const [kind, pathOf] of Object.entries(PAGE_KINDS)) {
      await page.goto(pathOf(ids));
      const path = join(OUTPUT, `${kind.replaceAll(" ", "-")}-${width}-${colorScheme}.png`);
      const picture = await page.screenshot({ path, fullPage: true });
      expect(picture.length).toBeGreaterThan(5_000);
    }
    expect(complaints).toEqual([]);
    await context.close();
  },
);
