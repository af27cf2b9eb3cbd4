import { DEFAULT_MIN_CONFIDENCE } from "./decide.ts";
import { resolveOriginPolicy } from "./origin.ts";
import { filled, finite, record } from "./reading.ts";

export type Settings = {
  idleMinutes: number;
  apply: boolean;
  minConfidence: number;
  judge: "auto" | "jev" | "agent";
  jevModel: string;
  /** Absent: the judging agent's own model. */
  judgeModel?: string;
  maxJudged: number;
  askSessions: boolean;
  callerSessionId: string | null;
  callerOrigin: string | null;
  /** Whose memory of verdicts; empty turns it off. */
  appId: string;
  stableVerdictPasses: number;
  userOrigins: readonly string[];
  closableOrigins: readonly string[];
};

export const DEFAULT_IDLE_MINUTES = 30;
export const DEFAULT_MAX_JUDGED = 15;
export const DEFAULT_STABLE_PASSES = 2;
const DEFAULT_APP_ID = "session-steward";
const DEFAULT_JEV_MODEL = "jev-latest";

/** A run's settings: what its input says where it is valid, else the defaults. Only literal `true` applies. */
export function resolveSettings(input?: unknown, modelRoles?: unknown): Settings {
  const given = record(input);
  const judgeModel = filled(given.judgeModel) ?? filled(record(record(modelRoles).models)["judge.session"]);
  return {
    idleMinutes: wholeFrom(1, given.idleMinutes, DEFAULT_IDLE_MINUTES),
    apply: given.apply === true,
    minConfidence: shareOf(given.minConfidence, DEFAULT_MIN_CONFIDENCE),
    judge: given.judge === "jev" || given.judge === "agent" ? given.judge : "auto",
    jevModel: filled(given.jevModel)?.trim() ?? DEFAULT_JEV_MODEL,
    ...(judgeModel !== undefined && { judgeModel: judgeModel.trim() }),
    maxJudged: wholeFrom(0, given.maxJudged, DEFAULT_MAX_JUDGED),
    askSessions: given.askSessions === true,
    callerSessionId: filled(given.callerSessionId) ?? null,
    callerOrigin: filled(given.callerOrigin) ?? null,
    appId: given.appId === "" ? "" : (filled(given.appId)?.trim() ?? DEFAULT_APP_ID),
    stableVerdictPasses: wholeFrom(1, given.stableVerdictPasses, DEFAULT_STABLE_PASSES),
    ...resolveOriginPolicy(given),
  };
}

function wholeFrom(least: number, value: unknown, fallback: number): number {
  const number = finite(value);
  return number === undefined || number < least ? fallback : Math.floor(number);
}

function shareOf(value: unknown, fallback: number): number {
  const number = finite(value);
  return number === undefined || number < 0 || number > 1 ? fallback : number;
}

/** Which memory a run reads and writes: a rehearsal has its own, and an empty name is none. */
export function memoryNamespace(settings: unknown): { appId: string; mode: "real" | "dry" } | null {
  const { appId, apply } = record(settings);
  const named = filled(appId);
  return named === undefined ? null : { appId: named, mode: apply === true ? "real" : "dry" };
}
