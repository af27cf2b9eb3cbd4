import * as z from "zod";
import type { RegisteredTool } from "../../core/registered.ts";
import { applyVerdict, CLOSING, FLAGGING } from "../apply-verdict.ts";
import { MAX_BACKGROUND_HOURS } from "../rules/owned-work.ts";
import type { StewardPorts } from "./ports.ts";
import { mayAct, toolInput } from "./tool-input.ts";

const Origins = z.array(z.string().max(200)).max(100);
const Input = z.object({
  sessionIds: z.array(z.string().max(300)).min(1).max(50),
  verdict: z.enum([...CLOSING, ...FLAGGING]),
  note: z.string().default(""),
  judgedBy: z.string().min(1).optional(),
  /** Only `true` changes anything. */
  apply: z.unknown(),
  idleMinutes: z.number().min(1),
  userOrigins: Origins,
  closableOrigins: Origins,
  callerSessionId: z.string().nullish(),
  maxBackgroundHours: z.number().min(0).default(MAX_BACKGROUND_HOURS),
});

/** Ends or flags sessions: the one tool that changes any. A dry run, and one that an agent asked for, changes none. */
export function wrapupApplyTool(
  ports: Pick<StewardPorts, "sessions" | "clock" | "ownedWork">,
): RegisteredTool {
  return {
    name: "session_wrapup_apply",
    async call(context, input) {
      const wanted = toolInput("session_wrapup_apply", Input, input);
      const { apply, userOrigins, closableOrigins, callerSessionId, ...verdict } = wanted;
      if (!mayAct(context, apply)) {
        const error = apply === true ? "requester_may_not_apply" : "dry_run";
        const results = wanted.sessionIds.map((sessionId) => ({ sessionId, ok: false, error }));
        return { value: { results } };
      }
      const { ownerUid, runId, runStartedAt, requestedBy } = context;
      const results = await applyVerdict(ports, {
        ...verdict,
        judgedBy: verdict.judgedBy,
        ownerUid,
        runId,
        runStartedAt,
        requestedBy,
        policy: { userOrigins, closableOrigins },
        callerSessionIds: [context.sessionId, callerSessionId].filter((id) => id != null),
      });
      return { value: { results } };
    },
  };
}
