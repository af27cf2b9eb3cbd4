import type { Decided, ShownHold, ShownRun } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { confirmed, print, type CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { EXIT, Failure, usage, type ExitCode } from "../failure.ts";
import { operand, textOption, waitOption } from "../options.ts";
import type { Given } from "../program.ts";
import { exitOfRun, followRun, outcomeLines } from "../run/follow-run.ts";
import { diffOf, holdLines, readHold } from "./holds.ts";
import { rejectMany } from "./inbox.ts";

const LANDING_MS = 60_000;

/** Approves the bytes of a hash, or those that are shown and agreed to here. */
export async function approve(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const holdId = operand(given, 0);
  const hash = hashOption(given);
  if (hash === undefined && !cli.terminal.canAsk) {
    throw usage(
      "without a terminal nothing was read; --hash says which bytes are meant",
      `Read them with mythos holds show ${holdId}, then approve with --hash sha256:…`,
    );
  }
  const sha256 = hash ?? (await shownAndAgreed(cli, api, await readHold(api, holdId)));
  const decided = await decide(api, holdId, { verdict: "approve", sha256, ...reasonOf(given) });
  const waitMs = waitOption(given, LANDING_MS);
  if (waitMs === undefined) {
    print(cli, decided, () => [`Approved ${holdId}`, `Run      ${decided.run.runId}`]);
    return EXIT.ok;
  }
  const run = await followRun(cli, api, decided.run.runId, waitMs, { until: hasGoneOn(holdId) });
  print(cli, run, () => outcomeLines(run));
  return exitOfRun(run);
}

/** Approved and not yet resumed is shown as suspended at the same hold. */
const hasGoneOn =
  (holdId: string) =>
  ({ status, holdId: current }: ShownRun): boolean =>
    status !== "running" && !(status === "suspended" && current === holdId);

async function shownAndAgreed(cli: CommandLine, api: Api, hold: ShownHold): Promise<string> {
  const { proposal } = hold;
  if (!proposal) throw new Failure(EXIT.failed, `hold ${hold.holdId} has no proposal to show`);
  for (const line of holdLines(hold, await diffOf(api, hold, cli))) cli.terminal.say(line);
  if (await confirmed(cli, "Approve exactly this?", "--hash")) return proposal.sha256;
  throw new Failure(EXIT.failed, "not approved; it still waits");
}

/** Rejects what is there now, or the bytes of a hash. A reason is required: it is what the next one learns from. */
export async function reject(cli: CommandLine, given: Given): Promise<ExitCode> {
  const holdId = operand(given, 0);
  const reason = reasonOf(given);
  if (!reason.reason) throw usage("a rejection needs its reason", 'Say -m "why".');
  if (given.args.length > 1) {
    if (hashOption(given)) throw usage("--hash names the bytes of one hold", "Reject that one alone.");
    return rejectMany(cli, given.args, reason.reason);
  }
  const api = cli.api("steward");
  const sha256 = hashOption(given) ?? (await readHold(api, holdId)).proposal?.sha256;
  if (!sha256) throw new Failure(EXIT.failed, `hold ${holdId} has no proposal`);
  const decided = await decide(api, holdId, { verdict: "reject", sha256, ...reason });
  print(cli, decided, () => [`Rejected ${holdId}`, `Run      ${decided.run.runId}`]);
  return EXIT.ok;
}

const decide = (
  api: Api,
  holdId: string,
  body: { verdict: string; sha256: string; reason?: string },
): Promise<Decided> => api.post<Decided>(`/api/holds/${segment(holdId)}/decision`, { body });

function reasonOf(given: Given): { reason?: string } {
  const reason = textOption(given, "message");
  return reason ? { reason } : {};
}

/** With or without its `sha256:`. */
function hashOption(given: Given): string | undefined {
  const said = textOption(given, "hash");
  if (said === undefined) return undefined;
  const digits = said.replace(/^sha256:/, "");
  if (/^[0-9a-f]{64}$/.test(digits)) return `sha256:${digits}`;
  throw usage(`--hash is "${said}"; expected the hold's sha256: and 64 hexadecimal digits`);
}
