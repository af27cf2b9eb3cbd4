import type { PlanEntry } from "./plan.ts";
import { finite, list, record } from "./reading.ts";
import { DEFAULT_MAX_JUDGED } from "./settings.ts";

export type Candidates = {
  close: PlanEntry[];
  stuck: PlanEntry[];
  /** The largest first, as many as a pass judges. */
  judge: PlanEntry[];
  judgeOverflow: PlanEntry[];
  keepSkipped: number;
  selfExcluded: boolean;
};

/** The plan by class, without what is kept and without the caller's own session. */
export function splitCandidates(plan: unknown, settings: unknown): Candidates {
  const { callerSessionId, maxJudged } = record(settings);
  const entries = list(record(plan).entries).filter(isEntry);
  const others = entries.filter(({ sessionId }) => sessionId !== callerSessionId);
  const ofClass = (name: string) => others.filter((entry) => entry.class === name);
  const judged = ofClass("judge").sort((a, b) => sizeOf(b) - sizeOf(a));
  const shown = finite(maxJudged) ?? DEFAULT_MAX_JUDGED;
  return {
    close: ofClass("close"),
    stuck: ofClass("stuck"),
    judge: judged.slice(0, shown),
    judgeOverflow: judged.slice(shown),
    keepSkipped: entries.filter((entry) => entry.class === "keep").length,
    selfExcluded: others.length < entries.length,
  };
}

/** An item of a list that is an entry of a plan. */
export const isEntry = (value: unknown): value is PlanEntry => typeof record(value).sessionId === "string";

/** The entries of a list that may have been given as anything. */
export const entriesOf = (value: unknown): PlanEntry[] => list(value).filter(isEntry);

export const sizeOf = ({ rssBytes }: PlanEntry): number => finite(rssBytes) ?? 0;
