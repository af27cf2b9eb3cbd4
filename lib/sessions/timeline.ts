import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { padded } from "../core/keys.ts";
import { keptSince } from "./mailbox.ts";
import type { Activity, SessionId } from "./session.ts";
import type { SessionStore } from "./store.ts";

/** Where a page of a timeline ends: time and id of its last entry. */
export const TimelinePlace = z.string().regex(/^\d{15}#.{1,200}$/);

/** A run as a timeline shows it, with what it names: its item, hold and landing. */
export type TimelineRun = { runId: string; createdAt: number } & Record<string, unknown>;

/** Newest first, at most `limit`, none created after `atOrBefore`. */
export type RunsOfSession = (
  sessionId: SessionId,
  page: { atOrBefore: number; limit: number },
) => Promise<readonly TimelineRun[]>;

export type TimelineEntry =
  | ({ kind: "request"; at: number } & Activity)
  | { kind: "run"; at: number; run: TimelineRun };

/**
 * What happened in a session, newest first: the requests made in it and the runs that carry its id. `before` is
 * the `next` of the page before this one.
 */
export async function readTimeline(
  deps: { sessions: Pick<SessionStore, "activities">; runsOfSession: RunsOfSession; clock: Clock },
  input: { sessionId: SessionId; limit: number; before: string | null },
): Promise<{ items: TimelineEntry[]; next: string | null }> {
  const { sessionId, limit, before } = input;
  const at = deps.clock.now();
  // One more than is shown, to know whether a page follows.
  const page = limit + 1;
  const [activities, runs] = await Promise.all([
    deps.sessions.activities(sessionId, { notBefore: keptSince(at), before, limit: page }),
    deps.runsOfSession(sessionId, { atOrBefore: before === null ? at : timeOf(before), limit: page + 1 }),
  ]);
  const entries: TimelineEntry[] = [
    ...activities.map((activity) => ({ kind: "request" as const, ...activity })),
    ...runs.map((run) => ({ kind: "run" as const, at: run.createdAt, run })),
  ];
  const ordered = entries
    .map((entry) => ({ entry, place: placeOf(entry) }))
    .filter(({ place }) => before === null || place < before)
    .sort((a, b) => (a.place < b.place ? 1 : -1));
  const shown = ordered.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ entry }) => entry),
    next: ordered.length > limit && last ? last.place : null,
  };
}

/** Time and id, the same text by which activity rows are sorted. */
const placeOf = (entry: TimelineEntry): string =>
  `${padded(entry.at)}#${entry.kind === "run" ? entry.run.runId : entry.requestId}`;

const timeOf = (place: string): number => Number(place.slice(0, place.indexOf("#")));
