import { parseArgs } from "node:util";
import { explore, type Explored, type Fault } from "./explore.ts";
import { MATRIX } from "./matrix.ts";
import { RULES, amended, asWritten, withChanges, type Rules } from "./rules.ts";
import type { Scenario } from "./scenario.ts";
import { BIG, SCENARIOS } from "./scenarios.ts";
import { walk } from "./walk.ts";

const { values: asked } = parseArgs({
  options: {
    doc: { type: "boolean", default: false },
    matrix: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    walk: { type: "string" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    rule: { type: "string", default: "" },
    set: { type: "string", default: "" },
    max: { type: "string", default: "3000000" },
    seconds: { type: "string", default: "170" },
    trace: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
  },
});

const limits = { maxStates: Number(asked.max), seconds: Number(asked.seconds), all: asked.all };
const only = asked.only.split(",").filter(Boolean);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const rules = (): Rules => withChanges(asked.doc ? asWritten() : amended(), asked.rule);

/** The scenario with the budgets of `--set passes=4,runners=3`. */
function withBudgets(sc: Scenario): Scenario {
  const budgets = asked.set
    .split(",")
    .filter(Boolean)
    .map((budget) => budget.split("="));
  return { ...sc, ...Object.fromEntries(budgets.map(([name, value]) => [name, Number(value)])) };
}

function summary(name: string, found: Explored): string {
  const held = found.complete ? "holds " : "holds?";
  return [
    name.padEnd(16),
    found.faults.length ? "BREAKS" : held,
    String(found.states).padStart(9),
    "states",
    String(found.stores).padStart(8),
    "stores",
    String(found.moves).padStart(10),
    `moves  depth ${String(found.depth).padStart(3)}${found.complete ? "" : " (bound hit)"} `,
    seconds(found.ms),
  ].join(" ");
}

function show(faults: readonly Fault[]): void {
  for (const { why, depth, trace } of faults) {
    say(`    ${why}  [${depth} moves]`);
    if (asked.trace)
      for (const [n, label] of trace.entries()) say(`      ${String(n + 1).padStart(2)} ${label}`);
  }
}

function list(): void {
  for (const [name, { about }] of Object.entries(SCENARIOS)) say(`${name.padEnd(16)} ${about}`);
  for (const [name, [now, first, ...others]] of Object.entries<readonly string[]>(RULES)) {
    const also = others.length ? `, also ${others.join(", ")}` : "";
    say(`${name.padEnd(16)} amended ${now}, as written ${first}${also}`);
  }
}

/** True when nothing broke. */
function walkAll(walks: number): boolean {
  const seed = Number(asked.seed);
  const walked = walk(BIG, rules(), { walks, seed, seconds: limits.seconds });
  const { calls, zombieCalls } = walked.stats;
  say(
    `${walked.walks} walks, ${walked.steps} steps, ${walked.states} distinct states, ${seconds(walked.ms)}, ` +
      `seed ${seed}; model calls ${calls}, of which by a fenced runner ${zombieCalls}`,
  );
  show(walked.faults);
  return walked.faults.length === 0;
}

/** True when every changed rule breaks or holds as expected. */
function changeEach(): boolean {
  let wrong = 0;
  for (const [change, scenario, expected] of MATRIX) {
    if (only.length && !only.some((x) => scenario === x || change.startsWith(x))) continue;
    const found = explore(SCENARIOS[scenario], withChanges(amended(), change), limits);
    const isExpected = (found.faults.length ? "breaks" : "holds") === expected;
    if (!isExpected) wrong++;
    const name = change.padEnd(36) + scenario.padEnd(16);
    say(`${isExpected ? " " : "!"} ${summary(name, found)}`);
    show(found.faults);
  }
  say(wrong ? `${wrong} not as expected` : "all as expected");
  return wrong === 0;
}

/** True when no scenario breaks. */
function exploreAll(): boolean {
  const unknown = only.filter((name) => !Object.hasOwn(SCENARIOS, name));
  if (unknown.length) throw new Error(`no such scenario: ${unknown.join(", ")}`);
  let broken = 0;
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (only.length && !only.includes(name)) continue;
    const found = explore(withBudgets(scenario), rules(), limits);
    if (found.faults.length) broken++;
    const over = found.stats.overLimitByResumed ? "  (over the limit by resumed runs: seen)" : "";
    say(summary(name, found) + over);
    show(found.faults);
  }
  return broken === 0;
}

function main(): boolean {
  if (asked.list) {
    list();
    return true;
  }
  if (asked.walk !== undefined) return walkAll(Number(asked.walk));
  return asked.matrix ? changeEach() : exploreAll();
}

process.exitCode = main() ? 0 : 1;
