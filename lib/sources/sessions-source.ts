import { AppError } from "../core/errors.ts";
import type { Source, SourceText } from "../core/source.ts";
import type { ReadContext } from "../core/tool.ts";
import type { SessionPlace, SessionStore } from "../sessions/store.ts";
import { lineOf, minuteOf } from "./lines.ts";

const PAGE = 50;
const MAX_SESSIONS = 200;

/** More candidates than a pass of the session steward ever judges. */
const MAX_EVIDENCE = 50;

/** What is known of the sessions that a judge is to look at, as one text of data. */
export type SessionEvidenceReader = (context: ReadContext, most?: number) => Promise<SourceText[]>;

/**
 * `sessions:live`: the owner's live sessions, latest active first; the session that asked for the run is marked.
 * `sessions:evidence`, or `sessions:evidence:<most>`: those that a judge is to look at, as `candidates`.
 */
export function createSessionsSource(deps: {
  sessions: Pick<SessionStore, "listOwned">;
  evidence: SessionEvidenceReader;
}): Source {
  return {
    scheme: "sessions",
    async read(context, argument) {
      const { ownerUid, sessionId } = context;
      const evidence = /^evidence(?::([1-9]\d?))?$/.exec(argument);
      const most = evidence?.[1] === undefined ? undefined : Number(evidence[1]);
      if (evidence && (most ?? 0) <= MAX_EVIDENCE) return deps.evidence(context, most);
      if (argument !== "live") {
        const message = `sessions: takes live, evidence or evidence:1 to evidence:${MAX_EVIDENCE}, not "${argument}"`;
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
