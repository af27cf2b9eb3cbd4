import type { Fault } from "./explore.ts";
import { Fingerprints } from "./fingerprints.ts";
import { stateKey } from "./keys.ts";
import { successors } from "./moves.ts";
import { unfinished } from "./repairs.ts";
import type { Rules } from "./rules.ts";
import { initial, type Scenario } from "./scenario.ts";
import { contextOf, type Context } from "./step.ts";

const MAX_STEPS = 400;

export interface Walked {
  readonly walks: number;
  readonly steps: number;
  readonly states: number;
  readonly ms: number;
  readonly stats: Context["stats"];
  readonly faults: readonly Fault[];
}

function randomFrom(seed: number): () => number {
  let x = seed >>> 0;
  return () => {
    x = (x + 0x6d2b79f5) >>> 0;
    let t = x;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Seeded walks through a scenario too big to explore. A walk favours the process that moved last, so that others stay
 * behind and wake late; the repairs are tried at every third new state and at the end.
 */
export function walk(
  sc: Scenario,
  rules: Rules,
  { walks = 500, seed = 1, seconds = 170 }: { walks?: number; seed?: number; seconds?: number } = {},
): Walked {
  const c = contextOf(sc, rules);
  const began = Date.now();
  const seen = new Fingerprints();
  const found = new Map<string, Fault>();
  let steps = 0;
  let done = 0;
  for (; done < walks && Date.now() - began < seconds * 1000; done++) {
    const random = randomFrom(seed * 1e6 + done);
    const trace: string[] = [];
    const noteFault = (why: string) => {
      if (!found.has(why)) found.set(why, { why, depth: trace.length, trace });
    };
    let s = initial(sc, rules);
    let favoured = "";
    for (let n = 0; n < MAX_STEPS; n++) {
      const moves = successors(c, s);
      if (!moves.length) break;
      const own = moves.filter(({ label }) => label.split(": ")[0] === favoured);
      const pool = own.length && random() < 0.8 ? own : moves;
      const { label, state } = pool[Math.floor(random() * pool.length)]!;
      favoured = label.split(": ")[0]!;
      trace.push(label);
      s = state;
      steps++;
      const isNew = seen.add(stateKey(s));
      const why = s.bad ?? (isNew && n % 3 === 0 ? unfinished(c, s) : null);
      if (why === null) continue;
      noteFault(why);
      break;
    }
    const why = s.bad ? null : unfinished(c, s);
    if (why) noteFault(why);
  }
  return {
    walks: done,
    steps,
    states: seen.size,
    ms: Date.now() - began,
    stats: c.stats,
    faults: [...found.values()],
  };
}
