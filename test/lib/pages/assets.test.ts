import { expect, test } from "vitest";
import { ASSETS } from "../../../lib/pages/assets.ts";

test("a page's files are named with a digest of what is in them", () => {
  expect(ASSETS["steward.css"].text).toContain(":root");
  expect(ASSETS["steward.js"].text).toContain("document.addEventListener");
  for (const [file, { href }] of Object.entries(ASSETS)) {
    expect(href).toMatch(new RegExp(`^/steward/assets/${file}\\?v=[0-9a-f]{12}$`));
  }
});
