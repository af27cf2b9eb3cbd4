import type { ShownHold, TakenBack } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { confirmed, print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage, type ExitCode } from "../failure.ts";
import { operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { agreedHash, hashOption, requireTerminal, sayAndWait } from "./decision.ts";
import { editText, fileOption } from "./edit-text.ts";
import { diffOf, holdLines, readHold } from "./holds.ts";

/** Approves a text of the steward's own, from a file or from their editor. */
export async function edit(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const holdId = operand(given, 0);
  const file = await fileOption(given);
  const title = textOption(given, "title");
  const hash = hashOption(given);
  if (hash === undefined) requireTerminal(cli, holdId);
  const hold =
    hash === undefined || (file === undefined && title === undefined) ? await readHold(api, holdId) : null;
  const shown = hold?.proposal?.text;
  // A title alone leaves the text as it is.
  const text = file ?? (title === undefined ? editText(cli, needed(hold, shown)) : undefined);
  if (text !== undefined && text === shown && title === undefined) {
    throw new Failure(
      EXIT.failed,
      "nothing was changed, so nothing is decided",
      "mythos holds approve takes it as it is.",
    );
  }
  if (hash === undefined && !(await confirmed(cli, "Approve your text?", "--hash"))) throw stillWaits();
  const decision = {
    verdict: "approve_edited",
    sha256: hash ?? hold!.sha256,
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title }),
  };
  return sayAndWait(cli, api, given, { said: "Approved", decision });
}

/** Lands the draft on what is in the memo now: merged by itself, or as the steward settles it. */
export async function rebase(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const holdId = operand(given, 0);
  const file = await fileOption(given);
  const hash = hashOption(given);
  if (hash === undefined) requireTerminal(cli, holdId);
  const hold = await readHold(api, holdId);
  const onVersion = versionOption(given) ?? currentOf(hold);
  const { merged } = hold.conflict ?? {};
  let text = file;
  if (text === undefined && (merged?.conflicts ?? 0) > 0) {
    if (!cli.terminal.canAsk) {
      throw new Failure(
        EXIT.conflict,
        `${merged!.conflicts} places were changed on both sides`,
        `Take the text with the marks from mythos holds show ${holdId} --json (conflict.merged.text), settle it, and say --file.`,
      );
    }
    text = editText(cli, needed(hold, merged?.text));
  }
  if (hash === undefined) {
    for (const line of holdLines(hold, await diffOf(api, hold, cli))) cli.terminal.say(line);
    if (!(await confirmed(cli, `Land it on version ${onVersion}?`, "--hash"))) throw stillWaits();
  }
  const decision = {
    verdict: "rebase",
    sha256: hash ?? hold.sha256,
    onVersion,
    ...(text !== undefined && { text }),
  };
  return sayAndWait(cli, api, given, { said: "Rebased", decision });
}

/** Lands the whole draft in place of what is in the memo now. */
export async function replace(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const said = versionOption(given);
  const onVersion = said ?? currentOf(await readHold(api, operand(given, 0)));
  const sha256 = await agreedHash(cli, api, given, `Put the draft in place of version ${onVersion}?`);
  return sayAndWait(cli, api, given, {
    said: "Replaced",
    decision: { verdict: "replace", sha256, onVersion },
  });
}

/** Makes a memo of its own from the draft, and leaves the other one as it is. */
export async function keepBoth(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const sha256 = await agreedHash(cli, api, given, "Keep both, the draft as a new memo?");
  return sayAndWait(cli, api, given, { said: "Kept both", decision: { verdict: "keep_both", sha256 } });
}

/** Lets the step pass its limit once. */
export async function allow(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const sha256 = await agreedHash(cli, api, given, "Allow it once?");
  return sayAndWait(cli, api, given, { said: "Allowed", decision: { verdict: "allow_once", sha256 } });
}

/** Takes one's own approval back, as long as nothing was written for it. */
export async function takeBack(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const holdId = operand(given, 0);
  const { decision } = await readHold(api, holdId);
  if (!decision) throw new Failure(EXIT.conflict, `hold ${holdId} has no decision to take back`);
  const { decisionId } = decision;
  const back = await api.post<TakenBack>(`/api/holds/${segment(holdId)}/take-back`, { body: { decisionId } });
  print(cli, back, () => [`Taken back ${holdId}`, `Held     ${back.holdId}`, `Run      ${back.run.runId}`]);
  return EXIT.ok;
}

function versionOption(given: Given): number | undefined {
  const said = textOption(given, "onVersion");
  if (said === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(said)) return Number(said);
  throw usage(`--on-version is "${said}"; expected the memo's version`);
}

function currentOf({ holdId, conflict }: ShownHold): number {
  if (conflict?.current) return conflict.current;
  const why = conflict ? (conflict.why ?? "its memo is gone") : "it is not about a conflict";
  throw new Failure(EXIT.conflict, `hold ${holdId} cannot land on its memo: ${why}`);
}

function needed(hold: ShownHold | null, text: string | null | undefined): string {
  if (typeof text === "string") return text;
  throw new Failure(
    EXIT.failed,
    `hold ${hold?.holdId ?? ""} has no text to edit`,
    "Say --file with the text.",
  );
}

const stillWaits = () => new Failure(EXIT.failed, "nothing was decided; it still waits");
