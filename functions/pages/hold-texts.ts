import { inParallel } from "../../lib/core/in-parallel.ts";
import type { EditModel } from "../../lib/pages/hold-edit.tsx";
import { ownHold } from "../../lib/runs/hold-access.ts";
import { readHold } from "../../lib/runs/hold-view.ts";
import { readProposal } from "../../lib/runs/output-step.ts";
import type { Form } from "./form.ts";
import type { PageDeps } from "./page-deps.ts";

/** The text that a person was shown under this sha, where a hold of this run has ever shown it. */
export async function textShown(
  deps: PageDeps,
  ownerUid: string,
  holdId: string,
  sha256: string,
): Promise<string | null> {
  const { run } = await ownHold(deps, ownerUid, holdId);
  const { holds } = await readHold(deps, ownerUid, holdId);
  const named = holds.filter((hold) => hold.kind !== "budget" && hold.sha256 === sha256).slice(0, 1);
  const [proposal] = await inParallel(named, 1, (hold) => readProposal(deps.runs, run.runId, hold));
  return proposal?.text ?? null;
}

/**
 * What a person writes in place of the draft, to begin with what is to be changed. A form sends its line ends as two
 * characters, whatever they were: they are what the draft has.
 */
export async function ownTextOf(
  deps: PageDeps,
  ownerUid: string,
  holdId: string,
  form?: Form,
): Promise<EditModel["own"]> {
  const { proposal, conflict } = await readHold(deps, ownerUid, holdId);
  const start = conflict?.merged?.text ?? proposal?.text ?? "";
  const title = proposal?.target.kind === "create" ? proposal.title : null;
  const onVersion = conflict?.current ? String(conflict.current) : null;
  const sent = form?.text("text");
  if (form === undefined || sent === undefined) return { title, text: start, onVersion };
  const endsInTwo = start.includes("\r\n") && !/(?<!\r)\n/.test(start);
  return {
    title: title === null ? null : (form.text("title") ?? title),
    text: endsInTwo ? sent : sent.replaceAll("\r\n", "\n"),
    onVersion: form.text("onVersion") ?? null,
  };
}
