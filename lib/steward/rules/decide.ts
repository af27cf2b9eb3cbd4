import { classifyOrigin } from "./origin.ts";
import { finite, record } from "./reading.ts";

export type DecisionAction = "close" | "flag" | "skip";

export type DecisionCode =
  | "rule-close"
  | "rule-stuck"
  | "verdict-close"
  | "verdict-flag"
  | "user-origin"
  /** Where it would be ended, but its words or its pull request say that something is left. */
  | "work-left"
  | "below-confidence"
  | "verdict-not-actionable"
  | "class-not-actionable";

export type Decision = { action: DecisionAction; code: DecisionCode; dryRun: boolean };

/** Below it a verdict changes nothing, where a run names no other. */
export const DEFAULT_MIN_CONFIDENCE = 0.8;

const CLOSING = new Set<unknown>(["done", "abandoned"]);
const FLAGGING = new Set<unknown>(["blocked", "needs-input"]);

export const isClosingVerdict = (verdict: unknown): boolean => CLOSING.has(verdict);
export const isFlagVerdict = (verdict: unknown): boolean => FLAGGING.has(verdict);

/** A confidence from 0 to 1; what is none counts as 0, so that it reaches no threshold. */
export function confidenceOf(value: unknown): number {
  const confidence = finite(value) ?? 0;
  return confidence >= 0 && confidence <= 1 ? confidence : 0;
}

/** What becomes of a session, dry run or not. A person's session is flagged where another would be ended. */
export function decideAction(input: {
  session?: unknown;
  planClass?: unknown;
  verdict?: unknown;
  confidence?: unknown;
  apply?: unknown;
  policy?: unknown;
  minConfidence?: unknown;
}): Decision {
  const { session, apply, policy } = record(input);
  const decided = byClass(record(input));
  const bounded = decided.action === "close" && classifyOrigin(session, policy) === "user";
  return { ...(bounded ? { action: "flag", code: "user-origin" } : decided), dryRun: apply !== true };
}

type Undated = { action: DecisionAction; code: DecisionCode };

function byClass({ planClass, verdict, confidence, minConfidence }: Record<string, unknown>): Undated {
  if (planClass === "close") return { action: "close", code: "rule-close" };
  if (planClass === "stuck") return { action: "close", code: "rule-stuck" };
  if (planClass !== "judge") return { action: "skip", code: "class-not-actionable" };
  if (confidenceOf(confidence) < (finite(minConfidence) ?? DEFAULT_MIN_CONFIDENCE)) {
    return { action: "skip", code: "below-confidence" };
  }
  if (CLOSING.has(verdict)) return { action: "close", code: "verdict-close" };
  if (FLAGGING.has(verdict)) return { action: "flag", code: "verdict-flag" };
  return { action: "skip", code: "verdict-not-actionable" };
}

const LABELS: Record<DecisionCode, string> = {
  "rule-close": "end (rules)",
  "rule-stuck": "end (never got going)",
  "verdict-close": "end (verdict)",
  "verdict-flag": "flag (verdict)",
  "user-origin": "flag (a person's session)",
  "work-left": "flag (work may be left)",
  "below-confidence": "leave (not sure enough)",
  "verdict-not-actionable": "leave",
  "class-not-actionable": "leave",
};

/** A decision in words, with a mark where it was only a rehearsal. */
export const decisionLabel = ({ code, dryRun }: Pick<Decision, "code" | "dryRun">): string =>
  `${LABELS[code]}${dryRun ? ", dry run" : ""}`;
