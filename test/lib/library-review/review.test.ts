import { expect, test } from "vitest";
import { LIBRARY_REVIEW } from "../../../lib/library-review/bundled.ts";
test("x", () => { expect(LIBRARY_REVIEW.manifest.steps.length).toBe(7); });
