import { lastWorkedAt } from "../../sessions/progress.ts";
import type { ListedSession, SessionPlace, SessionStore } from "../../sessions/store.ts";

const PAGE = 50;
/** A pass looks at no more; what stays behind is said. */
export const MAX_LIVE = 500;
export const MAX_ENDED = 200;

/** The owner's live sessions, the longest idle first, and whether there are more than are looked at. */
export async function liveSessionsOf(
  { sessions }: { sessions: Pick<SessionStore, "liveSessions"> },
  ownerUid: string,
): Promise<{ items: ListedSession[]; more: boolean }> {
  const items: ListedSession[] = [];
  let after: SessionPlace | null = null;
  do {
    const page = await sessions.liveSessions(ownerUid, { limit: PAGE, after });
    items.push(...page.items);
    after = page.next;
  } while (after && items.length < MAX_LIVE);
  const more = after !== null || items.length > MAX_LIVE;
  return { items: items.slice(0, MAX_LIVE).toSorted(longestIdleFirst), more };
}

const workedAt = (session: ListedSession): number => lastWorkedAt(session, session.heartbeat);

/** The list knows five minutes only, and nothing of what agents tell. */
const longestIdleFirst = (a: ListedSession, b: ListedSession): number =>
  workedAt(a) - workedAt(b) || (a.sessionId < b.sessionId ? -1 : 1);

/** Sessions that ended at or after a time, latest first, and whether there are more. */
export async function endedSince(
  { sessions }: { sessions: Pick<SessionStore, "listOwned"> },
  ownerUid: string,
  sinceMs: number,
): Promise<{ items: ListedSession[]; more: boolean }> {
  const items: ListedSession[] = [];
  let after: SessionPlace | null = null;
  do {
    const page = await sessions.listOwned(ownerUid, { limit: PAGE, after });
    items.push(...page.items.filter((one) => one.status === "ended" && one.endedAt >= sinceMs));
    after = page.next;
    // The list is in the order of when something last happened, an end included.
  } while (after && items.length < MAX_ENDED && after.activeBucketAt >= sinceMs);
  const more = items.length > MAX_ENDED || (after !== null && after.activeBucketAt >= sinceMs);
  return { items: items.slice(0, MAX_ENDED), more };
}
