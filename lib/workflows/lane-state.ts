import type { Compiled } from "./compile.ts";

/** Why a lane may not run its items; null when it may. Its items stay pending meanwhile. */
export function waitingReason(compiled: Compiled): null | "compile_error" | "draft" | "paused" {
  if (!compiled.ok) return "compile_error";
  const { status } = compiled.manifest.trigger;
  return status === "draft" || status === "paused" ? status : null;
}
