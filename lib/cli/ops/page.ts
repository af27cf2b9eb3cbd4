import { print, type CommandLine } from "../command-line.ts";
import { urlOf } from "../connection.ts";
import type { Given } from "../program.ts";
import { localTime } from "../table.ts";

/** Prints a link that signs its holder in to the pages, alone on stdout. */
export async function signInLink(cli: CommandLine, _given: Given): Promise<void> {
  const made = await cli.api("steward").post<{ path: string; expiresAt: number }>("/api/sign-in-links");
  const url = new URL(made.path, urlOf(cli.env)).href;
  cli.terminal.say(`Works once, until ${localTime(made.expiresAt)}; whoever opens it is you:`);
  print(cli, { ...made, url }, () => [url]);
}
