import type { ShownAct } from "../../client/answers.ts";
import { print, type CommandLine } from "../command-line.ts";
import { limitOption, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, table } from "../table.ts";

export async function listAudit(cli: CommandLine, given: Given): Promise<void> {
  const limit = limitOption(given, 25);
  const query = new URLSearchParams({ limit: String(Math.min(limit, 100)) });
  const since = textOption(given, "since");
  if (since) query.set("since", since);
  const items = await cli.api("steward").list<ShownAct>(`/api/audit?${query.toString()}`, limit);
  print(cli, { items }, () => {
    if (items.length === 0) return ["Nothing is on record yet."];
    return table(items.map(row), cli.terminal.width);
  });
}

function row(act: ShownAct): string[] {
  const { at, username, holdId, runId, itemId, verdict, until, fromStep, ofKeyId } = act;
  const what = act.act.replaceAll("_", " ");
  const said = [verdict, until && `until ${localTime(until)}`, fromStep && `from ${fromStep}`].filter(
    Boolean,
  );
  return [
    localTime(at),
    username,
    said.length > 0 ? `${what}: ${said.join(", ")}` : what,
    act.code ?? act.outcome ?? "",
    holdId ?? runId ?? itemId ?? ofKeyId ?? "",
  ];
}
