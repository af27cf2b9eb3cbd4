import { printable } from "../../lib/core/printable.ts";
import { callApi, callOrThrow } from "./api-call.ts";

/** A hold as the API shows it, as far as it is shown here. */
type Hold = {
  holdId: string;
  openedAt: number;
  expiresAt: number | null;
  sha256: string;
  run: { runId: string };
  workflow: { title: string; command: string | null } | null;
  targetChanged: boolean | null;
  proposal: {
    sha256: string;
    destination: string;
    target: { kind: string; memoId?: string; base?: number };
    title: string;
    text: string;
    zone: "body" | "notes";
    tags: { body: readonly string[]; notes: readonly string[] };
    guards: readonly { guard: string; passed: boolean; message: string }[];
  } | null;
};

export type Approval = {
  url: string;
  stewardKey: string;
  /** Which hold; the oldest open one when absent. */
  holdId?: string | undefined;
  say: (line: string) => void;
  confirm: (question: string) => Promise<boolean>;
};

/** How long the landing is waited for after an approval; it goes on without us. */
const LANDING_MS = 15_000;
const POLL_MS = 100;

/**
 * Shows a waiting draft whole, asks, and approves exactly the bytes that were shown. False when nothing was
 * approved.
 */
export async function approveHold(approval: Approval): Promise<boolean> {
  const { say } = approval;
  const host = { url: approval.url, key: approval.stewardKey };
  const holdId = approval.holdId ?? (await oldestHold(host));
  if (!holdId) {
    say("Nothing waits for a decision.");
    return false;
  }
  const path = `/api/holds/${encodeURIComponent(holdId)}`;
  const hold = (await callOrThrow(host, "GET", path)) as Hold;
  if (!hold.proposal) throw new Error(`hold ${holdId} has no proposal to show`);
  const { sha256 } = hold.proposal;
  for (const line of shown(hold, hold.proposal)) say(line);
  if (!(await approval.confirm("Approve exactly this? [y/N] "))) {
    say("Not approved; the draft still waits.");
    return false;
  }
  const { status, body } = await callApi(host, "POST", `${path}/decision`, {
    body: { verdict: "approve", sha256 },
  });
  if (status !== 200) {
    throw new Error(`the approval was refused (${status}): ${String((body as { detail?: string })?.detail)}`);
  }
  say("Approved.");
  say(await landing(host, hold.run.runId));
  return true;
}

async function oldestHold(host: { url: string; key: string }): Promise<string | undefined> {
  const { items } = (await callOrThrow(host, "GET", "/api/holds?limit=1")) as { items: { holdId: string }[] };
  return items[0]?.holdId;
}

function shown(hold: Hold, proposal: NonNullable<Hold["proposal"]>): string[] {
  const { target, guards } = proposal;
  const where =
    target.kind === "create"
      ? "a new memo"
      : `version ${(target.base ?? 0) + 1} of memo ${target.memoId}, in place of version ${target.base}`;
  const tags = proposal.tags[proposal.zone].join(", ") || "none";
  return [
    `Hold      ${hold.holdId}`,
    `Workflow  ${hold.workflow?.title ?? "(gone)"} ${hold.workflow?.command ?? ""}`,
    `Run       ${hold.run.runId}`,
    `Writes    ${where}: "${proposal.title}" (${proposal.zone}), tags ${tags}`,
    `Sha       ${proposal.sha256}`,
    ...(hold.expiresAt === null ? [] : [`Expires   ${new Date(hold.expiresAt).toISOString()}`]),
    ...(hold.targetChanged ? ["Attention: the memo was changed since this draft was frozen."] : []),
    ...guards
      .filter((guard) => !guard.passed)
      .map((guard) => `Attention: the guard ${guard.guard} says: ${guard.message}`),
    "",
    proposal.text,
    "",
  ].map(printable);
}

async function landing(host: { url: string; key: string }, runId: string): Promise<string> {
  const until = performance.now() + LANDING_MS;
  let status = "running";
  while (performance.now() < until) {
    const run = await callOrThrow(host, "GET", `/api/runs/${encodeURIComponent(runId)}`);
    status = String(run["status"]);
    if (status === "done") return `Landed: ${host.url}/api/runs/${runId} says where.`;
    if (status === "failed" || status === "cancelled")
      return `The run is ${status}: see GET /api/runs/${runId}.`;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return `The run is still ${status}; see GET /api/runs/${runId}.`;
}
