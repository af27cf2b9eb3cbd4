import { SYSTEM } from "../audit/entry.ts";
import type { Audit } from "../audit/note.ts";
import type { Decision, RunIn } from "./run.ts";

/** Puts on record that the system lets a hold expire, under the time at which it was due. */
export async function noteExpiry(
  { audit }: { audit: Audit },
  { runId, ownerUid, workflowId, gate }: RunIn<"suspended">,
  { decisionId, verdict }: Decision,
): Promise<void> {
  const { holdId, sha256, expiresAt } = gate;
  const subject = { holdId, runId, workflowId, sha256, decisionId, verdict };
  await audit.note(ownerUid, { ...SYSTEM, act: "hold_expired", at: expiresAt, ...subject });
}
