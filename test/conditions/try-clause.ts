import { play } from "../interleavings/play.ts";
import type { Around } from "../interleavings/world.ts";
import { STORIES } from "./stories.ts";
import { weakenedCommand, weakenedStore, type Weakening } from "./weaken.ts";

export type Verdict = {
  clause: string | null;
  caughtBy: string | null;
  why: string;
  seen: readonly string[];
  writes: readonly string[];
};

/** Leaves one clause out (null: none) and plays stories and seeds until something goes wrong, or all have passed. */
export async function tryWithout(clause: string | null, seeds: number): Promise<Verdict> {
  const weakening: Weakening = { without: clause, seen: new Set(), writes: new Set() };
  const around: Around = {
    rewrite: (command) => weakenedCommand(command, weakening),
    wrap: (store) => weakenedStore(store, weakening),
  };
  const verdict = (caughtBy: string | null, why: string): Verdict => ({
    clause,
    caughtBy,
    why,
    seen: [...weakening.seen],
    writes: [...weakening.writes],
  });
  for (const [name, story] of Object.entries(STORIES)) {
    const fault = await story(around);
    if (fault) return verdict(`story "${name}"`, fault);
  }
  for (let seed = 1; seed <= seeds; seed++) {
    const { faults } = await play(seed, around);
    if (faults[0]) return verdict(`seed ${seed}`, faults[0]);
  }
  return verdict(null, "");
}
