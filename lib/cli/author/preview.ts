import { existsSync } from "node:fs";
import type { Preview, PreviewedStep } from "../../client/answers.ts";
import { printable } from "../../core/printable.ts";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, type ExitCode } from "../failure.ts";
import { operand, readFile, readPayload, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { count } from "../table.ts";
import { prettyDiagnostic, summaryLine } from "./pretty.ts";

/** Shows what each process step would send; 6 when the workflow does not compile. */
export async function preview(cli: CommandLine, given: Given): Promise<ExitCode> {
  const named = operand(given, 0);
  const payload = await readPayload(textOption(given, "payload") ?? "{}");
  // A command has no ending, and a file that is there is meant.
  const isFile = existsSync(named) || /\.(?:md|markdown)$/i.test(named);
  const text = isFile ? readFile(named) : undefined;
  const what = text === undefined ? `"workflow":${JSON.stringify(named)}` : `"text":${JSON.stringify(text)}`;
  const bodyText = `{${what},"payload":${payload}}`;
  const answer = await cli.api("agent").post<Preview>("/api/workflows/preview", { bodyText });
  for (const diagnostic of answer.diagnostics) {
    const lines = prettyDiagnostic(named, text ?? "", diagnostic, cli.terminal.tones);
    for (const line of text === undefined ? lines.slice(0, 1) : lines) cli.terminal.say(line);
  }
  if (answer.compiles || cli.json) print(cli, answer, () => shown(answer, cli.terminal.colours.bold));
  if (answer.compiles) return EXIT.ok;
  cli.terminal.say(summaryLine([{ path: named, text: text ?? "", diagnostics: answer.diagnostics }]));
  return EXIT.compileErrors;
}

function shown({ loads, steps }: Preview, bold: (text: string) => string): string[] {
  const loaded = loads.map(
    ({ class: kind, ref, title, contentVersion, tokens, loaded: isLoaded, reason }) => {
      const what = isLoaded
        ? `[[${title ?? ref}]] v${contentVersion ?? "–"}, ${tokens ?? 0} tokens`
        : `${ref}: left out`;
      return `  ${kind.padEnd(8)}${printable(what)} (${printable(reason)})`;
    },
  );
  return [
    bold("Loads"),
    ...(loaded.length > 0 ? loaded : ["  none"]),
    ...steps.flatMap((step) => stepLines(step, bold)),
  ];
}

function stepLines(step: PreviewedStep, bold: (text: string) => string): string[] {
  const { stepId, model, parts, system, user, tokens, missing, forEach } = step;
  const notes = [
    ...(missing.length > 0 ? [`the output of ${missing.join(", ")} is not there yet`] : []),
    ...(forEach ? [`asked once for each of ${forEach}; this is the first`] : []),
  ];
  return [
    "",
    bold(`Step ${stepId}: model ${model}, about ${count(tokens, "token")} in ${count(parts.length, "part")}`),
    ...notes.map((note) => `  (${note})`),
    "--- system ---",
    ...printable(system).split("\n"),
    "--- user ---",
    ...printable(user).split("\n"),
  ];
}
