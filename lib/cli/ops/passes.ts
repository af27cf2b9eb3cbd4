import type { Page, ShownPass } from "../../client/answers.ts";
import { print, type CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { flag, limitOption, operand } from "../options.ts";
import { pause } from "../pause.ts";
import type { Given } from "../program.ts";
import { countsLine } from "../run/pass.ts";
import { localTime, table } from "../table.ts";

export async function listPasses(cli: CommandLine, given: Given): Promise<void> {
  const limit = limitOption(given, 25);
  const items = await cli.api("agent").list<ShownPass>(`/api/passes?limit=${Math.min(limit, 100)}`, limit);
  print(cli, { items }, () => {
    if (items.length === 0) return ["No round did anything yet; quiet ones leave no report."];
    const rows = items.map(({ passId, round, at, ...counts }) => [
      localTime(at),
      round,
      passId,
      countsLine(counts),
    ]);
    return table(rows, cli.terminal.width);
  });
}

/** How often the list is read while it is followed; rounds are minutes apart. */
const TAIL_MS = 3000;
/** A round that is looked for is among so many; older ones are named by the list alone. */
const LOOKED_THROUGH = 2000;

export async function showPass(cli: CommandLine, given: Given): Promise<void> {
  const pass = await findPass(cli.api("agent"), operand(given, 0));
  const { passId, round, at, skipped, ...counts } = pass;
  print(cli, pass, () =>
    table([
      ["Pass", passId],
      ["Round", round],
      ["At", localTime(at)],
      ...Object.entries(counts).map(([name, many]) => [name, String(many)]),
      ...Object.entries(skipped).map(([reason, many]) => [`skipped: ${reason}`, String(many)]),
    ]),
  );
}

/** The list is all that a host has of rounds; it ends with what is kept of them. */
async function findPass(api: Api, passId: string): Promise<ShownPass> {
  let looked = 0;
  for (let cursor: string | null = ""; cursor !== null && looked < LOOKED_THROUGH;) {
    const at: string = cursor && `&cursor=${cursor}`;
    const page: Page<ShownPass> = await api.get(`/api/passes?limit=100${at}`);
    const found = page.items.find((pass) => pass.passId === passId);
    if (found) return found;
    looked += page.items.length;
    cursor = page.nextCursor;
  }
  throw new Failure(EXIT.notFound, `no pass ${passId} among the newest ${looked}`, "mythos passes list");
}

/** The newest reports, oldest first, and then each new one, until it is interrupted. */
export async function tailPasses(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("agent");
  const inLines = cli.json || flag(given, "jsonl");
  let shown = new Set<string>();
  for (let limit = limitOption(given, 10); ; limit = 100) {
    const newest = await api.list<ShownPass>(`/api/passes?limit=${Math.min(limit, 100)}`, limit);
    for (const pass of newest.toReversed().filter(({ passId }) => !shown.has(passId))) {
      cli.terminal.out(inLines ? JSON.stringify(pass) : lineOf(pass));
    }
    shown = new Set([...shown, ...newest.map(({ passId }) => passId)]);
    await pause(TAIL_MS);
    if (!cli.isHeard()) return EXIT.ok;
  }
}

function lineOf({ passId: _id, round, at, ...counts }: ShownPass): string {
  return `${localTime(at)}  ${round}  ${countsLine(counts)}`;
}
