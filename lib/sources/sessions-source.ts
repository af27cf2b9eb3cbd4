import { AppError } from "../core/errors.ts";
import type { Source } from "../core/source.ts";
import type { SessionPlace, SessionStore } from "../sessions/store.ts";
import { lineOf, minuteOf } from "./lines.ts";

const PAGE = 50;
const MAX_SESSIONS = 200;

/** `sessions:live`: the owner's live sessions, latest active first. The session that asked for the run is marked. */
export function createSessionsSource(deps: { sessions: Pick<SessionStore, "listOwned"> }): Source {
  return {
    scheme: "sessions",
    async read({ ownerUid, sessionId }, argument) {
      if (argument !== "live") {
        const message = `sessions: takes live, not "${argument}"`;
        throw new AppError("source_unavailable", message, { source: `sessions:${argument}` });
      }
      const lines: string[] = [];
      let after: SessionPlace | null = null;
      do {
        const page = await deps.sessions.listOwned(ownerUid, { limit: PAGE, after });
        for (const session of page.items) {
          if (session.status !== "live") continue;
          const { name, purpose, lastActiveAt, requestCount, originClass } = session;
          lines.push(
            lineOf(minuteOf(lastActiveAt), name, session.sessionId, {
              purpose,
              requests: requestCount,
              origin: originClass,
              "keep alive": session.keepAlive ? "yes" : undefined,
              note: session.sessionId === sessionId ? "this run was asked for in it" : undefined,
            }),
          );
        }
        after = page.next;
      } while (after && lines.length < MAX_SESSIONS);
      if (lines.length === 0) return [];
      const more = after ? ["- and more, which are left out"] : [];
      return [{ title: "Live sessions", text: [...lines.slice(0, MAX_SESSIONS), ...more].join("\n") }];
    },
  };
}
