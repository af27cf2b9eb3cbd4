import { foldWhitespace, truncate } from "../core/text.ts";
import type { SessionIn } from "./session.ts";

const NOTE_MAX = 300;

/** What an agent is told whose session has ended: that it stops, what came of it and why, and how to go on. */
export function endedWords(session: SessionIn<"ended">): string {
  const { sessionId, verdict, outcome, continuedTo } = session;
  const why = verdict
    ? ` It was ended by its steward as ${verdict.verdict}${verdict.note ? ` ("${oneLine(verdict.note)}")` : ""}; nothing of it was deleted.`
    : outcome
      ? ` What came of it: "${oneLine(outcome)}".`
      : "";
  const onward = continuedTo
    ? `Session ${continuedTo} goes on with it.`
    : `If there is work left, start a new session with continuedFrom "${sessionId}".`;
  return `session ${sessionId} has ended, stop working in it.${why} ${onward}`;
}

/** The last message that is left for the session: it stays on record with it. */
export function closeRequestWords(session: Pick<SessionIn<"ended">, "sessionId" | "verdict">): string {
  const { sessionId, verdict } = session;
  const note = verdict?.note ? ` Why: "${oneLine(verdict.note)}".` : "";
  return `The steward ended this session as ${verdict?.verdict ?? "done"}.${note} Stop working in it. If there is work left, start a new session with continuedFrom "${sessionId}".`;
}

const oneLine = (text: string): string => truncate(foldWhitespace(text), NOTE_MAX);
