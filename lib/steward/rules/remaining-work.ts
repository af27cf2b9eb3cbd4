import { lastOf } from "./caps.ts";
import { list, record } from "./reading.ts";

/** Of a long message only the end says whether something is left to do. */
const LOOKED_AT = 160;

/** What says that nothing is left, so that it is not taken for its opposite. */
const NOTHING_LEFT =
  /\b(?:nothing (?:left|more|else)[^.!?\n]*|no (?:todos?|next steps?|further (?:work|steps?))|let me know[^.!?\n]*)/gi;

/** The first that is found, the strongest sign first. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [
    /\?[\s"'”’)\]*_`]*(?=$|\n)|\b(?:should|shall|may|can|could) (?:i|we)\b[^.!\n]*\?|\b\w+\?\s/i,
    "question to the user",
  ],
  [/\b(?:waiting (?:for|on)|awaiting|(?:i|we) (?:will |'ll )?wait (?:for|until))\b/i, "waiting"],
  [
    /\b(?:i|we)(?:'ll| will| am going to|'m going to| are going to)\b|(?:^|[.!\n]\s*)(?:now|next|then)(?:\s*[,:]|\s+the\b|\s+i\b)/i,
    "announced next action",
  ],
  [/\b(?:i|we)(?:'d| would)? (?:recommend|suggest|propose|advise)\b|\brecommendations?:/i, "recommendation"],
  [
    /\b(?:next steps?|to-?dos?|remaining (?:work|steps?|tasks?)|still (?:to do|open|missing)|follow-?ups?)\b/i,
    "next steps",
  ],
];

/** What a message says is left to do; null where it says nothing of that kind. */
export function pendingWorkReason(text: unknown): string | null {
  if (typeof text !== "string") return null;
  const end = lastOf(text.trim(), LOOKED_AT).replaceAll(NOTHING_LEFT, "");
  return SIGNS.find(([pattern]) => pattern.test(end))?.[1] ?? null;
}

/** What stands against ending a session as done: nothing, where the list is empty. */
export function remainingWork(seen?: { lastAssistantText?: unknown; prState?: unknown }): string[] {
  const { lastAssistantText, prState } = seen ?? {};
  const pending = pendingWorkReason(lastAssistantText);
  const open = typeof prState === "string" && prState.toLowerCase() === "open";
  return [...(pending ? [pending] : []), ...(open ? ["open PR awaiting review/merge"] : [])];
}

/** The newest words of an agent among the turns shown. */
export function lastAssistantText(turns: unknown): string | undefined {
  const said = list(turns)
    .map(record)
    .findLast(({ role }) => role === "assistant")?.text;
  return typeof said === "string" ? said : undefined;
}
