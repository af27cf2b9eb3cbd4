import type { Clock } from "../core/clock.ts";
import type { Api, Role } from "./connection.ts";
import type { Environment } from "./environment.ts";
import { usage } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** What every command works with. */
export type CommandLine = {
  env: Environment;
  terminal: Terminal;
  clock: Clock;
  /** Print the API's own fields as one JSON document. */
  json: boolean;
  /** Questions are answered with yes. */
  yes: boolean;
  version: string;
  /** Whether somebody still reads what is printed; `head` stops when it has seen enough. */
  isHeard(): boolean;
  api(role: Role, sessionId?: string): Api;
  /** Says once, before something is written, to which host. Every call of `api` that writes does it by itself. */
  aboutToWrite(): void;
};

/** A value as JSON, or what a person reads; `lines` may be empty, when there is nothing to show. */
export function print(cli: CommandLine, value: unknown, lines: () => readonly string[]): void {
  if (cli.json) cli.terminal.out(JSON.stringify(value, null, 2));
  else for (const line of lines()) cli.terminal.out(line);
}

/** Asks before something that cannot be taken back. Without a terminal `--yes` must have said so. */
export async function confirmed(cli: CommandLine, question: string, flag = "--yes"): Promise<boolean> {
  if (cli.yes) return true;
  if (!cli.terminal.canAsk) throw usage(`there is no terminal to ask on: ${question}`, `Say ${flag}.`);
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}
