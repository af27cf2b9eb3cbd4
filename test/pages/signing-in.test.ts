import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientOf } from "../e2e/client.ts";
import { givenPages } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let pages: Awaited<ReturnType<typeof givenPages>>;
beforeAll(async () => {
  pages = await givenPages();
});
afterAll(() => pages.stop());

test("a link signs its holder in, once", async () => {
  const { page, complaints } = await pages.signIn();
  expect(await page.title()).toBe("Holds · Mythos Loops");
  const { path } = await clientOf(pages.host, pages.host.keys.stewardKey).post<{ path: string }>(
    "/api/sign-in-links",
    {},
  );
  for (const heading of ["Holds", "This link is no longer good"]) {
    await page.goto(path);
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(heading);
  }
  expect(complaints).toEqual([]);
});
