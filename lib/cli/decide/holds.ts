import type { HoldSummary, ShownHold, ShownMemo, ShownProposal } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { printable } from "../../core/printable.ts";
import { changeSize, diffLines, diffView } from "../line-diff.ts";
import { flag, limitOption, operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, shortTime, table } from "../table.ts";

export async function listHolds(cli: CommandLine, given: Given): Promise<void> {
  const limit = limitOption(given, 25);
  const query = new URLSearchParams({ limit: String(Math.min(limit, 100)) });
  for (const name of ["state", "workflow", "sort"]) {
    const said = textOption(given, name);
    if (said) query.set(name, said);
  }
  const items = await cli.api("steward").list<HoldSummary>(`/api/holds?${query.toString()}`, limit);
  const now = cli.clock.now();
  print(cli, { items }, () => {
    if (items.length === 0) return ["Nothing waits for you."];
    const rows = items.map((hold) => [
      hold.holdId,
      effectOf(hold),
      sizeOf(hold),
      `${shortTime(now - hold.openedAt)} old`,
      hold.expiresAt === null ? "" : `${shortTime(hold.expiresAt - now)} left`,
      hold.snoozedUntil === null ? "" : `snoozed until ${localTime(hold.snoozedUntil)}`,
      hold.title ?? "",
    ]);
    return table(rows, cli.terminal.width);
  });
}

function effectOf({ kind, target, revision }: HoldSummary): string {
  if (kind !== "output") return kind;
  const effect = target?.kind === "update" ? "update" : "new memo";
  return revision > 1 ? `${effect}, revision ${revision}` : effect;
}

function sizeOf({ size, target }: HoldSummary): string {
  if (!size) return "";
  return target?.kind === "update" ? `+${size.added} −${size.removed}` : `${size.words} words`;
}

export async function showHold(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("steward");
  const hold = await readHold(api, operand(given, 0));
  const diff = flag(given, "diff") ? await diffOf(api, hold, cli) : undefined;
  print(cli, hold, () => holdLines(hold, diff));
}

export const readHold = (api: Api, holdId: string): Promise<ShownHold> =>
  api.get<ShownHold>(`/api/holds/${segment(holdId)}`);

/** What a person needs to see before deciding; the text itself, or what it would change. */
export function holdLines(hold: ShownHold, diff: readonly string[] | undefined): string[] {
  const { proposal, decision } = hold;
  const facts = table([
    ["Hold", hold.holdId],
    ["Workflow", `${hold.workflow?.title ?? "(gone)"} ${hold.workflow?.command ?? ""}`],
    ["Run", hold.run.runId],
    ["Asked by", hold.run.requestedBy.username],
    ["Opened", localTime(hold.openedAt)],
    ["Expires", `${localTime(hold.expiresAt)}; the run is then cancelled`],
    ...(proposal ? proposalFacts(proposal) : []),
    ...(decision
      ? [
          [
            "Decided",
            `${decision.verdict} by ${decision.username}${decision.reason ? `: ${decision.reason}` : ""}`,
          ],
        ]
      : []),
  ]);
  const warnings = [
    ...(hold.targetChanged
      ? ["Attention: the memo was changed since this was frozen; it will not be written over."]
      : []),
    ...(proposal?.guards ?? [])
      .filter(({ passed }) => !passed)
      .map(({ guard, message }) => `Attention: the guard ${guard} says: ${printable(message)}`),
  ];
  return [...facts, ...warnings, "", ...(diff ?? printable(proposal?.text ?? "").split("\n"))];
}

function proposalFacts({ target, zone, title, tags, sha256, revision }: ShownProposal): string[][] {
  const where =
    target.kind === "create" ? "a new memo" : `memo ${target.memoId}, in place of version ${target.base}`;
  return [
    ["Writes", `${where}: "${title}" (${zone}), tags ${tags[zone].join(", ") || "none"}`],
    ["Revision", String(revision)],
    ["Sha", sha256],
  ];
}

/** The proposal against what it would replace. */
export async function diffOf(api: Api, { proposal }: ShownHold, cli: CommandLine): Promise<string[]> {
  if (!proposal) return [];
  const { target, zone, text } = proposal;
  const now =
    target.kind === "update"
      ? await api.get<ShownMemo>(`/api/memos/${segment(target.memoId)}/versions/${target.base}`)
      : undefined;
  const lines = diffLines(now?.[zone] ?? "", text);
  return [changeSize(lines), ...diffView(lines, cli.terminal.colours)];
}
