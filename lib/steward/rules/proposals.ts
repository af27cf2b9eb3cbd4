import type { OriginClass } from "./origin.ts";
import { filled, list, record } from "./reading.ts";
import type { StallInput } from "./scan.ts";
import { detectStall, type Stall } from "./stall.ts";

/** A word that a person may send to a session; nobody sends it by itself. */
export type Proposal = {
  sessionId: string;
  kind: "interrupt" | "continue";
  cause: "loop" | "stall";
  originClass: OriginClass;
  reason: string;
  /** Only seen, as nobody is to disturb a person's session. */
  suppressed?: "user-origin";
};

export type StallResult = Stall & { sessionId: string; originClass: OriginClass; reason: string };

export type Proposals = { proposals: Proposal[]; observed: Proposal[] };

/** At most one proposal for a session: one that repeats itself is to be interrupted, even if it stalls too. */
export function buildProposals(found?: { loopResults?: unknown; stallResults?: unknown }): Proposals {
  const loops = list(found?.loopResults)
    .map(record)
    .filter(({ looping }) => looping === true);
  const stalls = list(found?.stallResults)
    .map(record)
    .filter(({ stalled }) => stalled === true);
  const bySession = new Map<string, Proposal>();
  const add = (row: Record<string, unknown>, of: Pick<Proposal, "kind" | "cause" | "reason">) => {
    const sessionId = filled(row.sessionId);
    if (sessionId === undefined || bySession.has(sessionId)) return;
    const user = row.originClass !== "closable";
    bySession.set(sessionId, {
      sessionId,
      ...of,
      originClass: user ? "user" : "closable",
      ...(user && { suppressed: "user-origin" as const }),
    });
  };
  for (const row of loops) {
    add(row, { kind: "interrupt", cause: "loop", reason: list(row.reasons).map(String).join("; ") });
  }
  for (const row of stalls) add(row, { kind: "continue", cause: "stall", reason: filled(row.reason) ?? "" });
  const all = [...bySession.values()];
  return {
    proposals: all.filter(({ suppressed }) => !suppressed),
    observed: all.filter(({ suppressed }) => suppressed),
  };
}

/** The proposals of a pass, and how each session that may stall stands. */
export function buildProposalsStep(
  scan: unknown,
  loopResults: unknown,
  _settings: unknown,
  nowMs: number,
): Proposals & { stalls: StallResult[] } {
  const inputs = list(record(scan).stallInputs) as readonly StallInput[];
  const stalls = inputs.map((input) => {
    const { busy, idleMinutes, lastTurnErroredAt, sessionId, originClass } = input;
    const stall = detectStall({ busy, idleMinutes, lastTurnErroredAt, nowMs });
    return { sessionId, originClass, ...stall, reason: stallText(stall) };
  });
  return { ...buildProposals({ loopResults, stallResults: stalls }), stalls };
}

function stallText({ kind, minutes }: Stall): string {
  if (kind === "busy") return `busy, and nothing heard for ${minutes} min`;
  return kind === "error" ? `its last turn failed ${minutes} min ago` : "";
}
