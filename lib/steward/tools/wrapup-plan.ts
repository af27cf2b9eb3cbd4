import * as z from "zod";
import type { RegisteredTool } from "../../core/registered.ts";
import { busyChildrenOf, planSessions } from "../plan-sessions.ts";
import { MAX_BACKGROUND_HOURS } from "../rules/owned-work.ts";
import type { PlanEntry } from "../rules/plan.ts";
import { liveSessionsOf } from "./live-sessions.ts";
import type { StewardPorts } from "./ports.ts";
import { toolInput } from "./tool-input.ts";

const Input = z.object({
  idleMinutes: z.number().min(1).default(20),
  includeKeep: z.boolean().default(false),
  callerSessionId: z.string().nullish(),
  maxBackgroundHours: z.number().min(0).default(MAX_BACKGROUND_HOURS),
});

/** What may become of each live session, by the rules alone. */
export function wrapupPlanTool(ports: Pick<StewardPorts, "sessions" | "ownedWork">): RegisteredTool {
  return {
    name: "session_wrapup_plan",
    async call({ ownerUid, sessionId, runStartedAt }, input) {
      const { includeKeep, callerSessionId, ...bounds } = toolInput("session_wrapup_plan", Input, input);
      const live = await liveSessionsOf(ports, ownerUid);
      const planned = await planSessions(ports, {
        ...bounds,
        ownerUid,
        nowMs: runStartedAt,
        callerSessionId: callerSessionId ?? sessionId,
        owned: await ports.ownedWork(ownerUid),
        candidates: live.items,
        busyChildren: busyChildrenOf(live.items),
      });
      const entries = includeKeep ? planned : planned.filter((entry) => entry.class !== "keep");
      return { value: { entries, totals: totalsOf(planned), leftOut: { live: live.more } } };
    },
  };
}

/** Memory by class, over those that tell theirs. */
function totalsOf(entries: readonly PlanEntry[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const entry of entries) {
    if (entry.rssBytes !== undefined) totals[entry.class] = (totals[entry.class] ?? 0) + entry.rssBytes;
  }
  return totals;
}
