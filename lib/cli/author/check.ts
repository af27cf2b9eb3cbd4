import type { Diagnostic } from "../../workflows/diagnostics.ts";
import { parseWorkflow } from "../../workflows/parse.ts";
import type { Preview } from "../../client/answers.ts";
import type { CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { EXIT, type ExitCode } from "../failure.ts";
import { flag, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { githubLines } from "./github.ts";
import { prettyDiagnostic, summaryLine, type Checked } from "./pretty.ts";
import { sarifLog } from "./sarif.ts";
import { workflowFiles, type WorkflowFile } from "./workflow-files.ts";

/** Checks workflow files; 6 when one has an error. */
export async function check(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = flag(given, "online") ? cli.api("agent") : undefined;
  const once = async (): Promise<ExitCode> => {
    const checked = await checkAll(workflowFiles(given.args), api);
    show(cli, textOption(given, "format") ?? (cli.json ? "json" : "pretty"), checked);
    return exitOf(checked, flag(given, "strict"));
  };
  if (!flag(given, "watch")) return once();
  const { watch } = await import("./watch.ts");
  return watch(cli, given.args, once);
}

async function checkAll(files: readonly WorkflowFile[], api: Api | undefined): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const { path, text } of files)
    checked.push({ path, text, diagnostics: await diagnosticsOf(text, api) });
  return checked;
}

/** What the text alone says, or what the library of the host says of it too. */
export async function diagnosticsOf(text: string, api: Api | undefined): Promise<readonly Diagnostic[]> {
  if (!api) return parseWorkflow(text).diagnostics;
  return (await api.post<Preview>("/api/workflows/preview", { body: { text } })).diagnostics;
}

function exitOf(checked: readonly Checked[], isStrict: boolean): ExitCode {
  const failing = checked.some(({ diagnostics }) =>
    diagnostics.some(({ severity }) => severity === "error" || (isStrict && severity === "warning")),
  );
  return failing ? EXIT.compileErrors : EXIT.ok;
}

function show({ terminal, version }: CommandLine, format: string, checked: readonly Checked[]): void {
  const { colours } = terminal;
  switch (format) {
    case "json": {
      const files = checked.map(({ path, diagnostics }) => ({ path, diagnostics }));
      terminal.out(JSON.stringify({ files }, null, 2));
      break;
    }
    case "sarif":
      terminal.out(JSON.stringify(sarifLog(checked, version), null, 2));
      break;
    case "github":
      for (const line of githubLines(checked)) terminal.out(line);
      break;
    default:
      for (const { path, text, diagnostics } of checked) {
        for (const diagnostic of diagnostics) {
          for (const line of prettyDiagnostic(path, text, diagnostic, colours)) terminal.out(line);
        }
      }
      terminal.out(summaryLine(checked));
  }
}
