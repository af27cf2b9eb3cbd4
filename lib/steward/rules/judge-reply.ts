import { cappedHead } from "./caps.ts";
import { filled, record } from "./reading.ts";

export type JudgeVerdict = "done" | "abandoned" | "blocked" | "needs-input" | "active";

export type MalformedCode =
  | "empty"
  | "not-a-lone-object"
  | "invalid-json"
  | "session-id-mismatch"
  | "unknown-verdict"
  | "bad-confidence"
  | "no-reason";

export type ParsedReply =
  | { verdict: JudgeVerdict; confidence: number; reason: string }
  | { verdict: "active"; confidence: 0; reason: string; malformed: true; code: MalformedCode };

const VERDICTS: ReadonlySet<unknown> = new Set(["done", "abandoned", "blocked", "needs-input", "active"]);

const REASON_MAX = 300;

/**
 * A judge's reply, which is one JSON object about this session and nothing else; a single fence around it is let
 * pass. Whatever has any other form is `active` with no confidence, so that it can lead to nothing. Never throws.
 */
export function parseJudgeVerdict(text: unknown, sessionId: string): ParsedReply {
  const reply = filled(text);
  if (reply === undefined) return malformed("empty");
  const body = unfenced(reply.trim());
  if (!body.startsWith("{") || !body.endsWith("}")) return malformed("not-a-lone-object");
  const parsed = parse(body);
  if (parsed === undefined) return malformed("invalid-json");
  const { verdict, confidence, reason } = parsed;
  if (parsed.sessionId !== sessionId) return malformed("session-id-mismatch");
  if (!VERDICTS.has(verdict)) return malformed("unknown-verdict");
  if (typeof confidence !== "number" || !(confidence >= 0 && confidence <= 1)) {
    return malformed("bad-confidence");
  }
  const said = filled(reason)?.trim().split(/\r?\n/)[0];
  if (said === undefined) return malformed("no-reason");
  return { verdict: verdict as JudgeVerdict, confidence, reason: cappedHead(said.trimEnd(), REASON_MAX) };
}

/** Without one fence that surrounds all of it. */
function unfenced(text: string): string {
  const inner = /^```(?:json)?[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```$/.exec(text)?.[1];
  return (inner ?? text).trim();
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return record(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const WORDS: Record<MalformedCode, string> = {
  empty: "the judge said nothing",
  "not-a-lone-object": "the judge's reply is not one JSON object",
  "invalid-json": "the judge's reply is not valid JSON",
  "session-id-mismatch": "the judge's reply is about another session",
  "unknown-verdict": "the judge's verdict is none of the five",
  "bad-confidence": "the judge's confidence is not a number from 0 to 1",
  "no-reason": "the judge gave no reason",
};

const malformed = (code: MalformedCode): ParsedReply => ({
  verdict: "active",
  confidence: 0,
  reason: WORDS[code],
  malformed: true,
  code,
});
