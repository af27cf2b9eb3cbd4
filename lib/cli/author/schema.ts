import { manifestSchema, payloadSchema } from "../../workflows/json-schema.ts";
import type { CommandLine } from "../command-line.ts";
import { EXIT, type ExitCode } from "../failure.ts";
import { operand, readFile } from "../options.ts";
import type { Given } from "../program.ts";
import { compileOffline } from "./compile-offline.ts";
import { prettyDiagnostic, summaryLine } from "./pretty.ts";

/** Prints the JSON Schema of a manifest, or of what starts one workflow; 6 when that file does not compile. */
export async function schema(cli: CommandLine, given: Given): Promise<ExitCode> {
  if (given.args.length === 0) {
    cli.terminal.out(JSON.stringify(manifestSchema(), null, 2));
    return EXIT.ok;
  }
  const path = operand(given, 0);
  const text = readFile(path);
  const compiled = await compileOffline(text, cli.clock.now());
  if (compiled.ok) {
    cli.terminal.out(JSON.stringify(payloadSchema(compiled.manifest), null, 2));
    return EXIT.ok;
  }
  const { diagnostics } = compiled;
  for (const diagnostic of diagnostics) {
    for (const line of prettyDiagnostic(path, text, diagnostic, cli.terminal.tones)) cli.terminal.say(line);
  }
  cli.terminal.say(summaryLine([{ path, text, diagnostics }]));
  return EXIT.compileErrors;
}
