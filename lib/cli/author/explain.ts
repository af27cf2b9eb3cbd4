import { nearest } from "../../core/text.ts";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { operand } from "../options.ts";
import type { Given } from "../program.ts";
import { table } from "../table.ts";
import type { CodeEntry } from "./code-entry.ts";
import { CODES } from "./codes.ts";

/** One code with its examples, or the list of them all. */
export async function explain(cli: CommandLine, given: Given): Promise<ExitCode> {
  const asked = operand(given, 0).toUpperCase();
  if (!asked) {
    const rows = CODES.map(({ code, severity, message }) => [code, severity, message]);
    print(cli, { items: CODES }, () => table(rows, cli.terminal.width));
    return EXIT.ok;
  }
  const code = /^\d{3}$/.test(asked) ? `MW${asked}` : asked;
  const entry = CODES.find((known) => known.code === code);
  if (!entry) {
    const near = nearest(
      code,
      CODES.map((known) => known.code),
    );
    throw new Failure(
      EXIT.notFound,
      `there is no code ${code}`,
      near ? `Did you mean ${near}?` : "mythos explain lists them all.",
    );
  }
  print(cli, entry, () => shown(entry, cli.terminal.colours));
  return EXIT.ok;
}

function shown(
  { code, severity, message, hint, section, wrong, right }: CodeEntry,
  c: CommandLine["terminal"]["colours"],
): string[] {
  const indented = (text: string) => text.split("\n").map((line) => (line ? `    ${line}` : ""));
  return [
    `${c.bold(code)}  ${severity}  ${message}`,
    ...(hint ? [`       ${hint}`] : []),
    "",
    c.red(`  Wrong${section ? `, in ${section}` : ""}`),
    ...indented(wrong),
    "",
    c.green("  Right"),
    ...indented(right),
  ];
}
