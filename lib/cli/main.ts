import { CommanderError } from "commander";
import { systemClock } from "../core/clock.ts";
import packageJson from "../../package.json" with { type: "json" };
import { authorGroup } from "./author.ts";
import type { CommandLine } from "./command-line.ts";
import { connect, urlOf } from "./connection.ts";
import { decideGroup } from "./decide.ts";
import { deployGroup } from "./deploy.ts";
import { namedVariable, readEnvironment, type Environment } from "./environment.ts";
import { EXIT, Failure, type ExitCode } from "./failure.ts";
import { libraryGroup } from "./library.ts";
import { mcpGroup } from "./mcp.ts";
import { opsGroup } from "./ops.ts";
import { createProgram, exitOfCommander, type Perform, type SharedOptions } from "./program.ts";
import { runGroup } from "./run.ts";
import { sessionsGroup } from "./sessions.ts";
import { skillGroup } from "./skill.ts";
import { targetLine, withTarget } from "./target.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const environment = readEnvironment();
const { version } = packageJson;

// `mythos check … | head -1` ends when head has seen enough. That is no failure, and what the command found still
// decides how it ends: it goes on without being heard.
let isHeard = true;
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exit(EXIT.failed);
    if (stream === process.stdout) isHeard = false;
  });
}
process.on("SIGINT", () => {
  process.stderr.write("\n");
  process.exit(EXIT.interrupted);
});

const perform: Perform = async (shared, work) => {
  const terminal = openTerminal(environment, shared);
  try {
    const env = await withTarget(environment, shared.target, namedVariable);
    process.exitCode = (await work(commandLine(env, shared, terminal))) ?? EXIT.ok;
  } catch (error) {
    terminal.progress("");
    process.exitCode = told(error, terminal);
  }
};

function commandLine(env: Environment, shared: SharedOptions, terminal: Terminal): CommandLine {
  let isSaid = false;
  const aboutToWrite = () => {
    if (!isSaid) terminal.say(targetLine(env, urlOf(env), terminal.tones));
    isSaid = true;
  };
  return {
    env,
    terminal,
    clock: systemClock,
    json: shared.json ?? env.output === "json",
    yes: shared.yes ?? false,
    version,
    isHeard: () => isHeard,
    api: (role, sessionId) => connect(env, role, { sessionId, aboutToWrite }),
    aboutToWrite,
  };
}

/** Says what went wrong: one line for what a person can mend, the stack for what only we can. */
function told(error: unknown, terminal: Terminal): ExitCode {
  const { tones } = terminal;
  const message = error instanceof Error ? error.message : String(error);
  terminal.say(`${tones.red("error")} ${message}`);
  if (error instanceof Failure && error.hint) terminal.say(`${tones.dim("hint")}  ${error.hint}`);
  if (environment.debug && error instanceof Error) terminal.say(error.stack ?? "");
  else if (!(error instanceof Failure)) terminal.say("MYTHOS_DEBUG=1 shows where this happened.");
  return error instanceof Failure ? error.exitCode : EXIT.failed;
}

const groups = [
  authorGroup,
  runGroup,
  decideGroup,
  libraryGroup,
  sessionsGroup,
  skillGroup,
  mcpGroup,
  opsGroup,
  deployGroup,
];
const program = createProgram(groups, version, perform);
try {
  const [asked, divider, ...words] = process.argv.slice(2);
  if (asked === "complete" && divider === "--") {
    const { answerCompletion } = await import("./ops/completion.ts");
    answerCompletion(program, words);
  } else await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = exitOfCommander(error);
}
