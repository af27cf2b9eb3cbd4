import { expect, test } from "vitest";
import { fuzz } from "./fuzz.ts";

const REQUESTS = 5000;

test("5,000 generated requests of all routes are answered without a 5xx or an unknown problem", async () => {
  expect(await fuzz({ requests: REQUESTS, forMs: 800_000 })).toBe(REQUESTS);
}, 900_000);
