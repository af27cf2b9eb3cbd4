import { expect, test } from "vitest";
import { exactTime } from "../../../lib/cli/table.ts";

test.each([
  [0, "0 s"],
  [999, "0 s"],
  [80_000, "1 m 20 s"],
  [600_000, "10 m"],
  [3_605_000, "1 h 5 s"],
])("a wait of %i ms is told as %s", (ms, said) => expect(exactTime(ms)).toBe(said));
