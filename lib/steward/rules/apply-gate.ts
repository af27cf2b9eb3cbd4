import { isClosingVerdict, isFlagVerdict } from "./decide.ts";
import { filled, record } from "./reading.ts";

/** Why a session was left as it is. */
export type ApplyRefusal =
  | "not_found"
  | "not_a_candidate"
  | "keep_class_never_touched"
  | "ambiguous_needs_judge"
  | "unknown_verdict"
  | "user_origin_never_closed"
  | "refused_stale_or_busy";

export type GateAnswer =
  | { ok: true; class: string; action: "closed" | "flagged" }
  | { ok: false; class?: string; error: ApplyRefusal };

/**
 * Whether a verdict may act on a session as the plan of this moment has it. A person's session (`originClass` user)
 * is closed by no verdict; `closeOk` is what the one conditional write answered, or true before it.
 */
export function applyGate(input: {
  found: boolean;
  entry?: unknown;
  judgedBy?: unknown;
  verdict?: unknown;
  originClass?: unknown;
  closeOk?: boolean;
}): GateAnswer {
  if (!input.found) return { ok: false, error: "not_found" };
  const planClass = filled(record(input.entry).class);
  if (planClass === undefined) return { ok: false, error: "not_a_candidate" };
  const refused = (error: ApplyRefusal): GateAnswer => ({ ok: false, class: planClass, error });
  if (planClass === "keep") return refused("keep_class_never_touched");
  if (planClass !== "close" && planClass !== "stuck" && filled(input.judgedBy) === undefined) {
    return refused("ambiguous_needs_judge");
  }
  const closes = isClosingVerdict(input.verdict);
  if (!closes && !isFlagVerdict(input.verdict)) return refused("unknown_verdict");
  if (closes && (input.originClass === "user" || input.originClass === "human")) {
    return refused("user_origin_never_closed");
  }
  if (input.closeOk !== true) return refused("refused_stale_or_busy");
  return { ok: true, class: planClass, action: closes ? "closed" : "flagged" };
}

export type Recheck = { proceed: boolean; code: "disappeared" | "busy" | "terminal" | null };

/** Whether a candidate is still there, quiet and alive at the moment of acting. */
export function recheckApply(_candidate: unknown, current?: unknown): Recheck {
  if (current === undefined || current === null) return { proceed: false, code: "disappeared" };
  const { busy, status } = record(current);
  if (busy === true) return { proceed: false, code: "busy" };
  if (status !== "running" && status !== "starting") return { proceed: false, code: "terminal" };
  return { proceed: true, code: null };
}
