import type { RegisteredTool } from "../../core/registered.ts";
import { record } from "../rules/reading.ts";

/** A judge whose confidence was calibrated against known outcomes; an adapter of a deployment that has one. */
export type CalibratedJudge = (asked: {
  sessionId: string;
  evidence: unknown;
  model: string;
}) => Promise<
  | { ok: true; verdict: string; confidence: number; probabilities: Record<string, number>; model: string }
  | { ok: false; error: string }
>;

/** Asks the calibrated judge. Where there is none, that is an answer, and the agent judges. */
export function sessionJudgeTool(judge: CalibratedJudge | undefined): RegisteredTool {
  return {
    name: "session_judge_jev",
    async call(_context, input) {
      const { sessionId: wanted, evidence, model } = record(input);
      const sessionId = String(wanted);
      if (!judge) return { value: { sessionId, ok: false, noKey: true, error: "no calibrated judge here" } };
      return { value: { sessionId, ...(await judge({ sessionId, evidence, model: String(model) })) } };
    },
  };
}
