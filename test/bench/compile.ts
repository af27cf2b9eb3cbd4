/**
 * How long 64 kB take to parse as a workflow: notes, and texts that are the worst for a Markdown parser.
 * Of a text that is refused, the longest start that is not is parsed too. Prints the least of several runs in milliseconds of this thread's processor time, worst first.
 */
import { refusalOf } from "../../lib/core/markdown-cost.ts";
import { parseWorkflow } from "../../lib/workflows/parse.ts";
import { TEXT_MAX_COST } from "../../lib/workflows/sections/section.ts";
import { HOSTILE_TEXTS, REAL_TEXTS } from "../support/long-texts.ts";

const ROUNDS = 4;
const RUNS = 5;
const WARM_UP = 10;
const LIMIT_MS = 50;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function leastOf(text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const start = cpuMs();
    parseWorkflow(text);
    least = Math.min(least, cpuMs() - start);
  }
  return least;
}

/** The longest start of a text that is not refused. */
function takenOf(text: string): string {
  let taken = 0;
  let refused = text.length;
  while (refused - taken > 50) {
    const middle = Math.floor((taken + refused) / 2);
    if (refusalOf(text.slice(0, middle).replaceAll("\r", "\n"), TEXT_MAX_COST)) refused = middle;
    else taken = middle;
  }
  return text.slice(0, taken);
}

const given = Object.entries({ ...REAL_TEXTS, ...HOSTILE_TEXTS });
const texts = given.flatMap(([name, text]) => {
  const taken = takenOf(text);
  return taken.length < text.length - 50
    ? [[name, text] as const, [`${name}, what is taken`, taken] as const]
    : [[name, text] as const];
});
for (let run = 0; run < WARM_UP; run++) for (const text of Object.values(REAL_TEXTS)) parseWorkflow(text);

// Round after round over all, so that a busy moment of the machine does not fall on all runs of one text.
const least = new Map<string, number>();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, text] of texts) {
    least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, leastOf(text)));
  }
}
const rows = texts.map(([name, text]) => {
  const codes = parseWorkflow(text).diagnostics.map(({ code }) => code);
  return { name, ms: least.get(name) ?? 0, codes };
});
rows.sort((a, b) => b.ms - a.ms);
for (const { name, ms, codes } of rows) {
  const refused = codes[0] === "MW010" ? "refused" : "";
  process.stdout.write(`${ms.toFixed(1).padStart(7)} ms  ${name}  ${refused}\n`);
}
const over = rows.filter(({ ms }) => ms > LIMIT_MS).length;
process.stdout.write(`${rows.length} texts, ${over} over ${LIMIT_MS} ms\n`);
