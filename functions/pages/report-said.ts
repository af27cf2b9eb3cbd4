import type { Act, AuditEntry } from "../../lib/audit/entry.ts";
import { padded } from "../../lib/core/keys.ts";
import type { PageDeps } from "./page-deps.ts";

/** What people have said of this report: it stands on record under the report's own time. */
export async function recordOf(
  { audits }: Pick<PageDeps, "audits">,
  ownerUid: string,
  runId: string,
  at: number,
): Promise<AuditEntry[]> {
  const said: AuditEntry[] = [];
  let after: { seq: string } | null = { seq: `${padded(at + 1)}#0` };
  while (after) {
    const page: Awaited<ReturnType<typeof audits.page>> = await audits.page(ownerUid, {
      since: at,
      limit: 100,
      after,
    });
    said.push(...page.entries.filter((entry) => entry.runId === runId));
    after = page.next;
  }
  return said;
}

/** What was said of one session, oldest first. */
export const saidOf = (said: readonly AuditEntry[], act: Act, sessionId: string): AuditEntry[] =>
  said.filter((entry) => entry.act === act && entry.ofSessionId === sessionId).toReversed();
