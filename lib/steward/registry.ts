import type { Action } from "../core/action.ts";
import type { Registered } from "../core/registered.ts";
import { applySessionVerdicts } from "./apply-session-verdicts.ts";
import type { StewardPorts } from "./tools/ports.ts";
import { sessionJudgeTool, type CalibratedJudge } from "./tools/session-judge-jev.ts";
import { createStewardTools } from "./tools/steward-tools.ts";
import { TRANSFORMS } from "./transforms.ts";

/** What the session steward's steps call. */
export const createStewardRegistry = (
  ports: StewardPorts,
  { judge }: { judge?: CalibratedJudge } = {},
): Registered => ({
  tools: { ...createStewardTools(ports), session_judge_jev: sessionJudgeTool(judge) },
  transforms: TRANSFORMS,
});

/** What an output step of a workflow memo may do with sessions. */
export const createStewardActions = (
  ports: Pick<StewardPorts, "sessions" | "ledger" | "clock" | "ownedWork">,
): Record<string, Action> => ({ apply_session_verdicts: applySessionVerdicts(ports) });
