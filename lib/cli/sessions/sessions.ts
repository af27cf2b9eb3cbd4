import type { ShownSession } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { usage } from "../failure.ts";
import { limitOption, operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, shortTime, table } from "../table.ts";

const ROUTE = "/api/internal/sessions";
type Entry = { at: number } & Record<string, unknown>;

export async function listSessions(cli: CommandLine, given: Given): Promise<void> {
  const limit = limitOption(given, 25);
  const items = await cli.api("agent").list<ShownSession>(`${ROUTE}?limit=${Math.min(limit, 50)}`, limit);
  const now = cli.clock.now();
  print(cli, { items }, () => {
    if (items.length === 0) return ["No session yet."];
    const rows = items.map((session) => [
      session.sessionId,
      session.name,
      session.status,
      `active ${shortTime(now - session.lastActiveAt)} ago`,
      `${session.requestCount} requests`,
      session.purpose,
    ]);
    return table(rows, cli.terminal.width);
  });
}

export async function showSession(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("agent");
  const path = `${ROUTE}/${segment(operand(given, 0))}`;
  const session = await api.get<ShownSession>(path);
  const timeline = await api.list<Entry>(`${path}/timeline?limit=50`, 50);
  print(cli, { ...session, timeline }, () => [
    ...table([
      ["Session", session.sessionId],
      ["Name", session.name],
      ["Purpose", session.purpose],
      ["Status", session.status],
      ["Active", localTime(session.lastActiveAt)],
      ["Requests", String(session.requestCount)],
    ]),
    "",
    ...table(timeline.map(entryRow), cli.terminal.width),
  ]);
}

function entryRow({ at, ...entry }: Entry): string[] {
  const said = (name: string): string =>
    typeof entry[name] === "string" || typeof entry[name] === "number" ? String(entry[name]) : "";
  return [localTime(at), said("kind"), said("route") || said("runId"), said("status"), said("command")];
}

/** Prints the id alone, for a variable of the shell. */
export async function startSession(cli: CommandLine, given: Given): Promise<void> {
  const purpose = textOption(given, "purpose");
  if (!purpose) throw usage("a session needs its purpose", 'Say --purpose "…".');
  const body = { name: textOption(given, "name") ?? "cli", purpose };
  const session = await cli.api("agent").post<ShownSession>(ROUTE, { body });
  print(cli, session, () => [session.sessionId]);
}

export async function endSession(cli: CommandLine, given: Given): Promise<void> {
  const sessionId = operand(given, 0);
  const session = await cli.api("agent").post<ShownSession>(`${ROUTE}/${segment(sessionId)}/end`);
  print(cli, session, () => [`Ended ${sessionId}`]);
}
