import type { Decided, ShownHold, ShownRun } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { randomIds, type Ids } from "../../core/ids.ts";
import { confirmed, print, type CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { EXIT, Failure, failureOf, usage, type ExitCode } from "../failure.ts";
import { operand, textOption, waitOption } from "../options.ts";
import { pause } from "../pause.ts";
import type { Given } from "../program.ts";
import { exitOfRun, followRun, outcomeLines } from "../run/follow-run.ts";
import { diffOf, holdLines, readHold } from "./holds.ts";
import { rejectMany } from "./inbox.ts";

const LANDING_MS = 60_000;

export type Decision = {
  verdict: string;
  sha256: string;
  reason?: string;
  text?: string;
  title?: string;
  onVersion?: number;
};

/** Approves the bytes of a hash, or those that are shown and agreed to here. */
export async function approve(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const sha256 = await agreedHash(cli, api, given, "Approve exactly this?");
  return sayAndWait(cli, api, given, { said: "Approved", decision: { verdict: "approve", sha256 } });
}

/** Rejects what is there now, or the bytes of a hash. A reason is required: it is what the next one learns from. */
export async function reject(cli: CommandLine, given: Given): Promise<ExitCode> {
  const holdId = operand(given, 0);
  const { reason } = reasonOf(given);
  if (!reason) throw usage("a rejection needs its reason", 'Say -m "why".');
  if (given.args.length > 1) {
    if (hashOption(given)) throw usage("--hash names the bytes of one hold", "Reject that one alone.");
    return rejectMany(cli, given.args, reason);
  }
  const api = cli.api("steward");
  const hold = await readHold(api, holdId);
  const sha256 = hashOption(given) ?? hold.sha256;
  // A step that is not allowed to go on is cancelled: there is no draft to reject.
  const verdict = hold.kind === "budget" ? "cancel" : "reject";
  const decided = await decide(api, holdId, { verdict, sha256, reason });
  print(cli, decided, () => [`Rejected ${holdId}`, `Run      ${decided.run.runId}`]);
  return EXIT.ok;
}

/** Sends the draft back: the step that wrote it runs again, with the reason. */
export async function requestChanges(cli: CommandLine, given: Given): Promise<ExitCode> {
  const { reason } = reasonOf(given);
  if (!reason) throw usage("what is to be changed is not said", 'Say -m "what".');
  const api = cli.api("steward");
  const sha256 = hashOption(given) ?? (await readHold(api, operand(given, 0))).sha256;
  const decision = { verdict: "request_changes", sha256, reason };
  return sayAndWait(cli, api, given, { said: "Sent back", decision });
}

/** What is shown, agreed to on the terminal, or named by its hash. */
export async function agreedHash(
  cli: CommandLine,
  api: Api,
  given: Given,
  question: string,
): Promise<string> {
  const holdId = operand(given, 0);
  const hash = hashOption(given);
  if (hash !== undefined) return hash;
  requireTerminal(cli, holdId);
  return agreed(cli, api, await readHold(api, holdId), question);
}

/** Without a terminal nothing was read. @throws {Failure} */
export function requireTerminal(cli: CommandLine, holdId: string): void {
  if (cli.terminal.canAsk) return;
  throw usage(
    "without a terminal nothing was read; --hash says which bytes are meant",
    `Read them with mythos holds show ${holdId}, then say --hash sha256:…`,
  );
}

async function agreed(cli: CommandLine, api: Api, hold: ShownHold, question: string): Promise<string> {
  for (const line of holdLines(hold, await diffOf(api, hold, cli))) cli.terminal.say(line);
  if (await confirmed(cli, question, "--hash")) return hold.sha256;
  throw new Failure(EXIT.failed, "nothing was decided; it still waits");
}

/** Records the decision, and with `--wait` says what became of it by the exit code. */
export async function sayAndWait(
  cli: CommandLine,
  api: Api,
  given: Given,
  { said, decision }: { said: string; decision: Decision },
): Promise<ExitCode> {
  const holdId = operand(given, 0);
  const decided = await decide(api, holdId, { ...reasonOf(given), ...decision });
  for (const { guard, passed, message } of decided.guards ?? []) {
    if (!passed) cli.terminal.say(`Attention: the guard ${guard} says of your text: ${message}`);
  }
  const waitMs = waitOption(given, LANDING_MS);
  if (waitMs === undefined) {
    print(cli, decided, () => [`${said.padEnd(9)}${holdId}`, `Run      ${decided.run.runId}`]);
    return EXIT.ok;
  }
  const run = await followRun(cli, api, decided.run.runId, waitMs, { until: hasGoneOn(holdId) });
  print(cli, run, () => outcomeLines(run));
  return exitOfRun(run);
}

/** Decided and not yet resumed is shown as suspended at the same hold. */
const hasGoneOn =
  (holdId: string) =>
  ({ status, holdId: current }: ShownRun): boolean =>
    status !== "running" && !(status === "suspended" && current === holdId);

/** How often a decision is sent whose answer was lost. */
const SEND_TRIES = 3;
const SEND_AGAIN_MS = 500;

/** Once per command, however often it is sent: a repeat under the same id finds the decision that it had made. */
export async function decide(
  api: Pick<Api, "ask">,
  holdId: string,
  decision: Decision,
  { ids, wait }: { ids: Ids; wait(ms: number): Promise<void> } = { ids: randomIds, wait: pause },
): Promise<Decided> {
  const body = { ...decision, decisionId: ids("dec") };
  for (let attempt = 1; ; attempt++) {
    const answer = await api.ask<Decided>("POST", `/api/holds/${segment(holdId)}/decision`, { body });
    if (answer.ok) return answer.value;
    const { status } = answer.problem;
    const isLost = status === 0 || status >= 500;
    if (!isLost || attempt === SEND_TRIES) throw failureOf(answer.problem);
    await wait(SEND_AGAIN_MS * attempt);
  }
}

export function reasonOf(given: Given): { reason?: string } {
  const reason = textOption(given, "message");
  return reason ? { reason } : {};
}

/** With or without its `sha256:`. */
export function hashOption(given: Given): string | undefined {
  const said = textOption(given, "hash");
  if (said === undefined) return undefined;
  const digits = said.replace(/^sha256:/, "");
  if (/^[0-9a-f]{64}$/.test(digits)) return `sha256:${digits}`;
  throw usage(`--hash is "${said}"; expected the hold's sha256: and 64 hexadecimal digits`);
}
