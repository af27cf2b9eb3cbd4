import { writeFileSync } from "node:fs";
import { hasErrors } from "../../workflows/diagnostics.ts";
import { parseWorkflow } from "../../workflows/parse.ts";
import type { CommandLine } from "../command-line.ts";
import { EXIT, usage, type ExitCode } from "../failure.ts";
import { flag } from "../options.ts";
import type { Given } from "../program.ts";
import { count } from "../table.ts";
import { compileOffline } from "./compile-offline.ts";
import { formatWorkflow } from "./format-workflow.ts";
import { prettyDiagnostic } from "./pretty.ts";
import { workflowFiles } from "./workflow-files.ts";

/** Prints or writes files in order. A file with errors, or whose manifest would change, is left as it is. */
export async function fmt(cli: CommandLine, given: Given): Promise<ExitCode> {
  const files = workflowFiles(given.args);
  const isWriting = flag(given, "write");
  if (!isWriting && files.length > 1) throw usage("only one file can be printed", "Use --write for several.");
  let refused = 0;
  for (const { path, text } of files) {
    const { diagnostics } = parseWorkflow(text);
    if (hasErrors(diagnostics)) {
      refused += 1;
      for (const diagnostic of diagnostics) {
        for (const line of prettyDiagnostic(path, text, diagnostic, cli.terminal.tones))
          cli.terminal.say(line);
      }
      continue;
    }
    const formatted = await formatSafely(text, cli.clock.now());
    if (!isWriting) cli.terminal.write(formatted);
    else if (formatted !== text) {
      writeFileSync(path, formatted);
      cli.terminal.out(path);
    }
  }
  if (refused === 0) return EXIT.ok;
  cli.terminal.say(
    `${count(refused, "file")} left as ${refused === 1 ? "it is" : "they are"}: mend the errors first.`,
  );
  return EXIT.compileErrors;
}

/** In order, or as it was when that would compile to something else. */
export async function formatSafely(text: string, at: number): Promise<string> {
  const formatted = formatWorkflow(text);
  const [before, after] = await Promise.all([compileOffline(text, at), compileOffline(formatted, at)]);
  const isSame = before.ok && after.ok && before.manifest.manifestHash === after.manifest.manifestHash;
  return isSame ? formatted : text;
}
