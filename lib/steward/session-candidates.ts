import { hasCode } from "../core/errors.ts";
import { inParallel } from "../core/in-parallel.ts";
import type { Requester } from "../core/principal.ts";
import type { SourceText } from "../core/source.ts";
import type { ReadContext } from "../core/tool.ts";
import { busyChildrenOf, planSessions } from "./plan-sessions.ts";
import { composeEvidence } from "./rules/evidence.ts";
import type { PlanEntry } from "./rules/plan.ts";
import { liveSessionsOf } from "./tools/live-sessions.ts";
import type { StewardPorts } from "./tools/ports.ts";
import { gatherEvidence } from "./tools/session-evidence.ts";
import { candidatesOf, settingsOf } from "./transforms.ts";

type Ports = Pick<StewardPorts, "sessions" | "ownedWork">;

/** Sessions looked into at a time. */
const PARALLEL = 4;

/** Where nobody asked, as in a preview, no job's own sessions are left out. */
const NOBODY: Requester = { principalId: "", kind: "human", uid: "", username: "" };

/**
 * The sessions that a judge is to look at, the largest first and at most so many, each as the evidence that a judge
 * of the session steward is shown: one JSON object `{candidates, more}`, to go through one by one.
 */
export const createSessionEvidence =
  (ports: Ports) =>
  async (context: ReadContext, most?: number): Promise<SourceText[]> => {
    const { ownerUid, sessionId, runId, at: nowMs, requestedBy = NOBODY } = context;
    const settings = settingsOf({ input: { maxJudged: most } }, { runId, ownerUid, sessionId, requestedBy });
    const live = await liveSessionsOf(ports, ownerUid);
    const entries = await planSessions(ports, {
      ownerUid,
      idleMinutes: settings.idleMinutes,
      nowMs,
      callerSessionId: sessionId,
      owned: await ports.ownedWork(ownerUid),
      candidates: live.items,
      busyChildren: busyChildrenOf(live.items),
    });
    const { judge, judgeOverflow } = candidatesOf({ plan: { entries }, settings });
    const found = await inParallel(judge, PARALLEL, (entry) =>
      candidateOf(ports, { ownerUid, nowMs }, entry),
    );
    const candidates = found.filter((candidate) => candidate !== undefined);
    const text = JSON.stringify({ candidates, more: judgeOverflow.length });
    return [{ title: "Sessions to judge", text, data: true }];
  };

/** Undefined for one that is gone by now. */
async function candidateOf(ports: Ports, of: { ownerUid: string; nowMs: number }, entry: PlanEntry) {
  try {
    const evidence = composeEvidence(entry, await gatherEvidence(ports, of, entry.sessionId));
    // What a judge need not see and a verdict is bound by.
    return { ...evidence, originClass: entry.originClass };
  } catch (error) {
    if (hasCode(error, "session_not_found")) return undefined;
    throw error;
  }
}
