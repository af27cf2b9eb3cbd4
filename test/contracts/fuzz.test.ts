import { expect, test } from "vitest";
import { fuzz } from "./fuzz.ts";

const REQUESTS = 300;

test("no generated request of any route is answered with a 5xx or an unknown problem", async () => {
  // Least of all to be sure that something was sent where the machine is busy.
  expect(await fuzz({ requests: REQUESTS, forMs: 40_000 })).toBeGreaterThan(REQUESTS / 3);
}, 120_000);
