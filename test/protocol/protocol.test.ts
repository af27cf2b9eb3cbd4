import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explore } from "./explore.ts";
import { amended, withChanges } from "./rules.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";

/*
 * The scenarios, whole or with a smaller cast, that take under a second each; `npm run test:protocol` explores all of
 * them.
 */
const SHORT: readonly (readonly [name: ScenarioName, budgets: Partial<Scenario>])[] = [
  ["lane-lost", { passes: 1, lost: 1 }],
  ["rerun", { passes: 2, runners: 1 }],
  ["memo", { recovers: 1 }],
  ["limit-2", { runners: 1 }],
  ["fence-lost", { lost: 1 }],
  ["cancel", {}],
  ["hold", {}],
  ["hold-lost", {}],
  ["revise-same", {}],
  ["decide-exhaust", {}],
  ["budget", { lost: 0 }],
  ["revise-budget", { runners: 2, lost: 0 }],
  ["memo-conflict", { runners: 2, recovers: 1, edit: 1 }],
];

describe("no interleaving breaks the table of writes", () => {
  test.each(SHORT)("in %s with %o", (name, budgets) => {
    const { complete, faults } = explore({ ...SCENARIOS[name], ...budgets }, amended());
    expect({ complete, faults }).toEqual({ complete: true, faults: [] });
  });
});

describe("the model is seen to guard", () => {
  test.each<[change: string, scenario: ScenarioName, why: string]>([
    ["dupReady=no", "lane-1", "quiet, and an item waits on lane 0 (ready: no)"],
    ["claimOrder=head-slot-item", "limit-1", "2 runs really running on a lane of limit 1"],
    ["prop=absent-own", "memo", "the approved bytes are not the bytes of the row"],
    ["memoCas=reread", "memo", "a person's edit was overwritten"],
    ["decision=no-undecided", "decide", "a recorded decision was overwritten"],
    [
      "revise=checkpoint",
      "revise-budget",
      "changes were asked for and are forgotten (once the hold was decided)",
    ],
    ["cancelIntent=allow", "cancel", "a run ended as cancelled although its memo landed"],
  ])("%s breaks %s: %s", (change, scenario, why) => {
    const { faults } = explore(SCENARIOS[scenario], withChanges(amended(), change));
    expect(faults.map((fault) => fault.why)).toEqual([why]);
  });
});

test("every write of the code stands in the table of rules.ts, and none other does", () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");
  const rows = read("rules.ts").match(/^ \* \| .*$/gm) ?? [];
  const named = rows.flatMap((row) => row.match(/\b(?:queue|runs) (?!store\b)\w+/g) ?? []);
  const files = ["queue/writes", "runs/writes", "runs/gate-writes"];
  const built = files.flatMap((file) =>
    [...read(`../../lib/${file}.ts`).matchAll(/^export function (\w+)/gm)].map(
      ([, name]) => `${file.split("/")[0]} ${name}`,
    ),
  );
  expect(built.length).toBeGreaterThan(20);
  expect([...new Set(named)].sort()).toEqual(built.sort());
});
