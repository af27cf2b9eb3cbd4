import { Fingerprints } from "./fingerprints.ts";
import { crashKey, stateKey } from "./keys.ts";
import { successors } from "./moves.ts";
import { unfinished } from "./repairs.ts";
import type { Rules } from "./rules.ts";
import { initial, type Scenario } from "./scenario.ts";
import type { State } from "./state.ts";
import { contextOf, type Context } from "./step.ts";

export interface Limits {
  readonly maxStates?: number;
  readonly seconds?: number;
  /** Look on after the first fault. */
  readonly all?: boolean;
}

export interface Fault {
  readonly why: string;
  readonly depth: number;
  readonly trace: readonly string[];
}

export interface Explored {
  readonly states: number;
  /** The different contents of the store from which the repairs were tried. */
  readonly stores: number;
  readonly moves: number;
  readonly depth: number;
  /** False when a limit ended the exploration. */
  readonly complete: boolean;
  readonly ms: number;
  readonly stats: Context["stats"];
  readonly faults: readonly Fault[];
}

/** How each state was reached: the state before it, and which of its moves. */
class Parents {
  count = 0;
  private before = new Int32Array(1 << 16);
  private by = new Int32Array(1 << 16);

  note(before: number, by: number): number {
    if (this.count >= this.before.length) {
      this.before = doubled(this.before);
      this.by = doubled(this.by);
    }
    this.before[this.count] = before;
    this.by[this.count] = by;
    return this.count++;
  }

  pathTo(id: number): number[] {
    const path: number[] = [];
    for (let at = id; at > 0; at = this.before[at]!) path.push(this.by[at]!);
    return path.toReversed();
  }
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(numbers.length * 2);
  twice.set(numbers);
  return twice;
}

function traceOf(sc: Scenario, rules: Rules, path: readonly number[], inRepairs: boolean): string[] {
  let s = initial(sc, rules);
  const labels: string[] = [];
  for (const by of path) {
    const move = successors(contextOf(sc, rules), s)[by]!;
    labels.push(move.label);
    s = move.state;
  }
  if (!inRepairs) return labels;
  const log: string[] = [];
  unfinished({ ...contextOf(sc, rules), log }, s);
  return [...labels, "--- every process stops here; the repairs run until quiet ---", ...log];
}

/** Every state of a scenario, breadth first, so that the first fault has the shortest trace. */
export function explore(
  sc: Scenario,
  rules: Rules,
  { maxStates = 3e6, seconds = 170, all = false }: Limits = {},
): Explored {
  const c = contextOf(sc, rules);
  const began = Date.now();
  const states = new Fingerprints();
  const stores = new Fingerprints(16);
  const parents = new Parents();
  const found = new Map<string, { id: number; depth: number; inRepairs: boolean }>();
  let moves = 0;
  let depth = 0;
  let complete = true;

  const noteFault = (why: string, id: number, inRepairs: boolean) => {
    if (!found.has(why)) found.set(why, { id, depth, inRepairs });
  };
  const look = (s: State, id: number): boolean => {
    if (s.bad) {
      noteFault(s.bad, id, false);
      return false;
    }
    const why = stores.add(crashKey(s)) ? unfinished(c, s) : null;
    if (why) noteFault(why, id, true);
    return true;
  };
  const isOver = () =>
    parents.count > maxStates || ((moves & 1023) < 8 && Date.now() - began > seconds * 1000);

  const first = initial(sc, rules);
  states.add(stateKey(first));
  let frontier: { s: State; id: number }[] = [{ s: first, id: parents.note(-1, 0) }];
  look(first, 0);
  const mayGoOn = () => complete && frontier.length > 0 && (all || found.size === 0);
  while (mayGoOn()) {
    const next: typeof frontier = [];
    depth++;
    for (const { s, id } of frontier) {
      for (const [by, { state }] of successors(c, s).entries()) {
        moves++;
        if (!states.add(stateKey(state) + (state.bad ?? ""))) continue;
        const reached = parents.note(id, by);
        if (look(state, reached)) next.push({ s: state, id: reached });
      }
      if (isOver()) complete = false;
      if (!complete || (!all && found.size)) break;
    }
    frontier = next;
  }

  return {
    states: parents.count,
    stores: stores.size,
    moves,
    depth,
    complete,
    ms: Date.now() - began,
    stats: c.stats,
    faults: [...found].map(([why, f]) => ({
      why,
      depth: f.depth,
      trace: traceOf(sc, rules, parents.pathTo(f.id), f.inRepairs),
    })),
  };
}
