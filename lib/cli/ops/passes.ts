import type { ShownPass } from "../../client/answers.ts";
import { print, type CommandLine } from "../command-line.ts";
import { limitOption } from "../options.ts";
import type { Given } from "../program.ts";
import { countsLine } from "../run/pass.ts";
import { localTime, table } from "../table.ts";

export async function listPasses(cli: CommandLine, given: Given): Promise<void> {
  const limit = limitOption(given, 25);
  const items = await cli.api("agent").list<ShownPass>(`/api/passes?limit=${Math.min(limit, 100)}`, limit);
  print(cli, { items }, () => {
    if (items.length === 0) return ["No round did anything yet; quiet ones leave no report."];
    const rows = items.map(({ passId: _id, round, at, ...counts }) => [
      localTime(at),
      round,
      countsLine(counts),
    ]);
    return table(rows, cli.terminal.width);
  });
}
