import type { CommandLine } from "../command-line.ts";
import { keyOf, urlOf } from "../connection.ts";
import { EXIT, usage, type ExitCode } from "../failure.ts";
import type { Given } from "../program.ts";
import { createBridge } from "./bridge.ts";

/**
 * Carries messages between a client's pipes and the host, until the client closes its end; what is under way then is
 * still answered. A client that interrupts wants no answer.
 */
export async function serveStdio(cli: CommandLine, { options }: Given): Promise<ExitCode> {
  if (options["stdio"] !== true) throw usage("mcp speaks over pipes", "Say mythos mcp --stdio.");
  const { env, terminal } = cli;
  const session = typeof options["session"] === "string" ? options["session"] : env.session;
  const bridge = createBridge({
    url: urlOf(env),
    key: keyOf(env, "agent"),
    ...(session && { session }),
    answer: (line) => terminal.write(`${line}\n`),
    note: (line) => terminal.say(`mythos mcp: ${line}`),
  });
  const end = () => process.exit(EXIT.ok);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.prependListener(signal, end);
  for await (const line of linesOf(process.stdin)) {
    if (line.trim() !== "") bridge.carry(line);
    // Nobody reads the answers any more.
    if (!cli.isHeard()) break;
  }
  await bridge.settled();
  return EXIT.ok;
}

/** Node's own reader of lines also ends one at U+2028, which a JSON string may hold as it is. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}
