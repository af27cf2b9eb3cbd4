import type { Rejected, ShownHold, Snoozed } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage, type ExitCode } from "../failure.ts";
import { operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, table } from "../table.ts";
import { readHold } from "./holds.ts";

/** Hides a hold from this person's list; it expires when it would have. */
export async function snooze(cli: CommandLine, given: Given): Promise<void> {
  const until = textOption(given, "for") ?? textOption(given, "until");
  if (!until) throw usage("how long is not said", "Say --for 3d, or --until 2027-01-31T09:00:00Z.");
  const path = `/api/holds/${segment(operand(given, 0))}/snooze`;
  const snoozed = await cli.api("steward").post<Snoozed>(path, { body: { until } });
  print(cli, snoozed, () => [
    `Snoozed ${snoozed.holdId} until ${localTime(snoozed.snoozedUntil)}; it expires ${localTime(snoozed.expiresAt)}`,
  ]);
}

export async function unsnooze(cli: CommandLine, given: Given): Promise<void> {
  const path = `/api/holds/${segment(operand(given, 0))}/snooze`;
  const shown = await cli.api("steward").delete<Snoozed>(path);
  print(cli, shown, () => [`${shown.holdId} is in your list again`]);
}

/** Rejects what several holds show now, each by a decision of its own; the lines say what became of each. */
export async function rejectMany(
  cli: CommandLine,
  holdIds: readonly string[],
  reason: string,
): Promise<ExitCode> {
  const api = cli.api("steward");
  const shown: ShownHold[] = [];
  for (const holdId of holdIds) shown.push(await readHold(api, holdId));
  const holds = shown.map(({ holdId, sha256 }) => ({ holdId, sha256 }));
  const { items } = await api.post<{ items: Rejected[] }>("/api/holds/reject", { body: { holds, reason } });
  print(cli, { items }, () =>
    table(items.map(({ holdId, outcome, detail }) => [holdId, outcome, detail ?? ""])),
  );
  if (items.every(({ outcome }) => outcome === "applied")) return EXIT.ok;
  throw new Failure(EXIT.conflict, "not every hold could be rejected; the list says why");
}
