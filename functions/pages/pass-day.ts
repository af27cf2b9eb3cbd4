import { DAY_MS } from "../../lib/core/duration.ts";
import type { PassPlace, PassRecord, PassStore } from "../../lib/passes/store.ts";

/** Rounds that the charts are drawn from, and how many of them one read asks for. */
const BOUNDS = { most: 2000, atOnce: 1000 };

/** The rounds of the last 24 hours, newest first; of too many only the newest, and then `complete` is false. */
export async function passesOfDay(
  passes: Pick<PassStore, "list">,
  at: number,
  { most, atOnce } = BOUNDS,
): Promise<{ day: PassRecord[]; complete: boolean }> {
  const day: PassRecord[] = [];
  let after: PassPlace | null = null;
  do {
    const page: Awaited<ReturnType<PassStore["list"]>> = await passes.list(atOnce, after);
    const recent = page.items.filter((pass) => pass.at > at - DAY_MS);
    day.push(...recent);
    if (recent.length < page.items.length || page.next === null) return { day, complete: true };
    after = page.next;
  } while (day.length < most);
  return { day, complete: false };
}
