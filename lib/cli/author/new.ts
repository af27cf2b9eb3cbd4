import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage, type ExitCode } from "../failure.ts";
import { operand, readFile, textOption } from "../options.ts";
import type { Given } from "../program.ts";

const FOLDER = join(import.meta.dirname, "templates");

/** As the compiler takes them: letters and digits with single hyphens. */
const COMMAND = /^\/(?=.{2,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Writes a new workflow; never over a file that is there. */
export async function newWorkflow(cli: CommandLine, given: Given): Promise<ExitCode> {
  const said = operand(given, 0);
  const command = said.startsWith("/") ? said : `/${said}`;
  if (!COMMAND.test(command)) {
    throw usage(
      `"${said}" is not a command name`,
      "Use small letters and digits with single hyphens: /meeting-notes.",
    );
  }
  const template = textOption(given, "template") ?? "draft";
  const dir = textOption(given, "dir") ?? ".";
  const path = join(dir, `${command.slice(1)}.md`);
  if (existsSync(path))
    throw new Failure(EXIT.conflict, `${path} is there already`, "Choose another name, or another --dir.");
  mkdirSync(dir, { recursive: true });
  writeFileSync(path, fromTemplate(template, command));
  print(cli, { path, command, template }, () => [path]);
  cli.terminal.say(`Next: mythos check ${path} · mythos preview ${path} · mythos memos import ${path}`);
  return EXIT.ok;
}

/** The text of a template for one command. */
export function fromTemplate(template: string, command: string): string {
  const words = command.slice(1).replaceAll("-", " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return readFile(join(FOLDER, `${template}.md`))
    .replace("# TITLE", () => `# ${title}`)
    .replaceAll("COMMAND", () => command.slice(1));
}
