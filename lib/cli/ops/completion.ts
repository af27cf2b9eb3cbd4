import completions from "@bomb.sh/tab";
import commanderCompletions from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import type { CommandLine } from "../command-line.ts";
import { usage } from "../failure.ts";
import { SHELLS } from "../ops.ts";
import { operand } from "../options.ts";
import type { Given } from "../program.ts";

/** The shell's script, which asks `mythos complete -- …` for every word. */
export async function completion(_cli: CommandLine, given: Given): Promise<void> {
  const shell = operand(given, 0);
  if (!SHELLS.some((known) => known === shell))
    throw usage(`"${shell}" is not a shell`, `Use ${SHELLS.join(", ")}.`);
  completions.setup("mythos", "mythos", shell);
}

/** What could come next, one candidate a line; asked by the script of a shell. */
export function answerCompletion(program: Command, words: readonly string[]): void {
  commanderCompletions(program);
  completions.parse([...words]);
}
