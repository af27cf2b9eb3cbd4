import { Command, Option } from "commander";
import type { CommandLine } from "./command-line.ts";
import { EXIT, usage, type ExitCode } from "./failure.ts";

export type Given = {
  /** The operands, as they were typed. */
  args: readonly string[];
  options: Readonly<Record<string, unknown>>;
};

/** One command as data: what help shows, and a body that is loaded when it is called. */
export type CommandSpec = {
  /** `memos search <query>`: its group, its name and its operands. */
  usage: string;
  summary: string;
  options?: readonly OptionSpec[];
  /** What a person types; two of them. */
  examples: readonly [string, string];
  run(cli: CommandLine, given: Given): Promise<ExitCode | void>;
};
export type OptionSpec = { flags: string; says: string; choices?: readonly string[] };

export type Group = {
  title: string;
  commands: readonly CommandSpec[];
  says?: Readonly<Record<string, string>>;
};

/** Options of every command. */
export type SharedOptions = {
  json?: boolean;
  target?: string;
  color: boolean;
  input: boolean;
  yes?: boolean;
};

export type Perform = (
  shared: SharedOptions,
  work: (cli: CommandLine) => Promise<ExitCode | void>,
) => Promise<void>;

/** The whole command line; `perform` runs a body and keeps its exit code. */
export function createProgram(groups: readonly Group[], version: string, perform: Perform): Command {
  const program = new Command("mythos")
    .description("Author workflows, run them, and decide what lands.")
    .version(version, "-V, --version")
    .option("--json", "print the API's own fields as one JSON document")
    .option("--target <name>", "the host to speak to, of config.json (also MYTHOS_TARGET)")
    .option("--no-color", "no colours (also NO_COLOR)")
    .option("--no-input", "never ask; fail and name the flag instead")
    .option("-y, --yes", "answer confirmations with yes")
    .exitOverride()
    .showHelpAfterError("Try --help for what it takes.")
    .configureHelp({ showGlobalOptions: true });
  for (const { title, commands, says = {} } of groups) {
    for (const spec of commands) add(program, spec, { title, says, perform });
  }
  return program;
}

function add(
  program: Command,
  spec: CommandSpec,
  group: { title: string; says: Readonly<Record<string, string>>; perform: Perform },
): void {
  const words = spec.usage.split(" ");
  const operand = words.findIndex((word) => /^[[<]/.test(word));
  const names = words.slice(0, operand === -1 ? undefined : operand);
  const [first = "", second] = names;
  const parent = second === undefined ? program : groupCommand(program, first, group);
  const command = parent
    .command(words.slice(names.length - 1).join(" "))
    .summary(spec.summary)
    .description(spec.summary)
    .addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  $ ${line}`).join("\n")}`)
    .allowExcessArguments(false);
  if (operand !== -1) sayHowToEscape(command, `mythos ${names.join(" ")}`);
  if (second === undefined) command.helpGroup(`${group.title}:`);
  for (const { flags, says, choices } of spec.options ?? []) {
    const option = new Option(flags, says);
    command.addOption(choices ? option.choices([...choices]) : option);
  }
  command.action(async () => {
    const options = command.optsWithGlobals<SharedOptions & Record<string, unknown>>();
    await group.perform(options, async (cli) => {
      if (command.args.some((arg) => arg.trim() === "")) throw usage("one of the operands is empty");
      return spec.run(cli, { args: command.args, options });
    });
  });
}

/** A word to search for may begin as an option does. */
function sayHowToEscape(command: Command, path: string): void {
  command.configureOutput({
    outputError(message, write) {
      write(message);
      const word = /unknown option '([^']*)'/.exec(message)?.[1];
      if (word) write(`If ${word} is no option, write it after --: ${path} -- ${word}\n`);
    },
  });
}

function groupCommand(
  program: Command,
  name: string,
  { title, says }: { title: string; says: Readonly<Record<string, string>> },
): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known) return known;
  return program
    .command(name)
    .description(says[name] ?? name)
    .helpGroup(`${title}:`)
    .exitOverride();
}

/** The exit code of what commander ended by itself: help and version are answers, the rest is misuse. */
export const exitOfCommander = (error: { code: string; exitCode: number }): ExitCode =>
  error.exitCode === 0 || error.code === "commander.version" ? EXIT.ok : EXIT.usage;
