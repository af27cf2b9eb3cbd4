import { spawn } from "node:child_process";
import { join } from "node:path";
import { confirmed, type CommandLine } from "../command-line.ts";
import { EXIT, usage, type ExitCode } from "../failure.ts";
import { textOption } from "../options.ts";
import type { Given } from "../program.ts";

export type CdkCommand = "deploy" | "diff" | "destroy";
const ROOT = join(import.meta.dirname, "../../..");
export const STAGE = "prod";

/** The stage that was asked for. @throws {Failure} for what cannot be part of a stack's name */
export function stageOf(given: Given): string {
  const stage = textOption(given, "stage") ?? STAGE;
  if (/^[a-z][a-z0-9-]{0,19}$/.test(stage)) return stage;
  throw usage(`--stage is "${stage}"; expected 1 to 20 of a-z, 0-9 and "-", a letter first`);
}

/**
 * What CDK is called with. Only the application is ever destroyed: the tables' stack is protected, and its tables
 * would stay without it. Questions are asked here, with the stage's name, and not once more by CDK.
 */
export function cdkArguments(command: CdkCommand, stage: string, more: readonly string[]): string[] {
  const which = command === "destroy" ? ["App"] : ["--all"];
  const asked = { deploy: ["--require-approval", "never"], destroy: ["--force"], diff: [] }[command];
  return ["cdk", command, ...which, ...asked, "-c", `stage=${stage}`, ...more];
}

/** A thin wrap of CDK: the stage is said first, what changes an account is asked for, and CDK does the rest. */
export async function cdk(cli: CommandLine, given: Given, command: CdkCommand): Promise<ExitCode> {
  const stage = stageOf(given);
  const { tones, say } = cli.terminal;
  say(tones.bold(tones.magenta(`stage ${stage} (mythos-${stage}-data, mythos-${stage}-app)`)));
  if (command === "deploy") {
    // Without the changes before one's eyes a yes would be a guess.
    if (!cli.yes && cli.terminal.canAsk) await run(cdkArguments("diff", stage, given.args.filter(isForDiff)));
    if (!(await confirmed(cli, `Deploy stage ${stage}?`))) return EXIT.interrupted;
  }
  if (command === "destroy") {
    const question = `Remove the functions, queues, rules and API of stage ${stage}? The tables stay.`;
    if (!(await confirmed(cli, question))) return EXIT.interrupted;
  }
  return run(cdkArguments(command, stage, given.args));
}

/** A diff takes no parameters, which may be secrets. */
const isForDiff = (arg: string, at: number, all: readonly string[]): boolean =>
  arg !== "--parameters" && all[at - 1] !== "--parameters";

function run(args: readonly string[]): Promise<ExitCode> {
  return new Promise((resolve, reject) => {
    const child = spawn("npx", args, { cwd: ROOT, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
  });
}
