import type {
  HoldSummary,
  ShownDecision,
  ShownHold,
  ShownMemo,
  ShownProposal,
} from "../../client/answers.ts";
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
    ...(hold.kind === "output" ? [] : [["About", `a ${hold.kind}`]]),
    ...(proposal ? proposalFacts(proposal) : []),
    ...questionFacts(hold),
    ...conflictFacts(hold),
    ...(hold.verdicts.length > 0 ? [["Takes", hold.verdicts.join(", ")]] : []),
    ...hold.holds.filter(({ holdId }) => holdId !== hold.holdId).map(pastFact),
    ...(decision ? [["Decided", saidBy(decision) + (hold.takenBack ? ", and taken back" : "")]] : []),
  ]);
  const warnings = [
    ...(hold.targetChanged && hold.kind === "output"
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

const saidBy = ({ verdict, username, reason }: ShownDecision): string =>
  `${verdict} by ${username}${reason ? `: ${printable(reason)}` : ""}`;

const pastFact = (past: ShownHold["holds"][number]): string[] => [
  "Before",
  `${past.holdId} (${past.kind}, revision ${past.revision}): ${past.decision ? saidBy(past.decision) : "open"}${past.takenBack ? ", and taken back" : ""}`,
];

/** What was spent, of which limit, and what the step may still take. */
function questionFacts({ question, sha256 }: ShownHold): string[][] {
  if (!question) return [];
  const { message, stepId } = question;
  return [
    ["Asks", printable(message)],
    ["Step", stepId],
    ["Sha", sha256],
  ];
}

function conflictFacts({ conflict }: ShownHold): string[][] {
  if (!conflict) return [];
  const { expected, actual, current, merged, why } = conflict;
  const now = current === null ? "" : `, and is at ${current} now`;
  const lost = `made on version ${expected ?? "none"}; the memo was at ${actual ?? "none"}${now}`;
  return [
    ["Conflict", why ? `${lost}: ${why}` : lost],
    ...(merged
      ? [["Merge", merged.conflicts === 0 ? "clean" : `${merged.conflicts} places that both changed`]]
      : []),
  ];
}

/** What each side did to what both found, then what a merge would be. */
function sidesOf({ conflict, proposal }: ShownHold, cli: CommandLine): string[] {
  const { base, theirs, merged } = conflict!;
  const from = base?.text ?? "";
  const part = (title: string, text: string | null | undefined): string[] => {
    if (typeof text !== "string") return [];
    const lines = diffLines(from, text);
    return [
      cli.terminal.colours.bold(`${title} ${changeSize(lines)}`),
      ...diffView(lines, cli.terminal.colours),
      "",
    ];
  };
  return [
    ...part(`In the memo now (version ${theirs?.contentVersion ?? ""}):`, theirs?.text),
    ...part("The draft:", proposal?.text),
    ...part("Merged:", merged?.text),
  ];
}

/** The proposal against what it would replace; of a conflict all three sides. */
export async function diffOf(api: Api, hold: ShownHold, cli: CommandLine): Promise<string[]> {
  const { proposal } = hold;
  if (!proposal) return [];
  if (hold.conflict && hold.open) return sidesOf(hold, cli);
  const { target, zone, text } = proposal;
  const now =
    target.kind === "update"
      ? await api.get<ShownMemo>(`/api/memos/${segment(target.memoId)}/versions/${target.base}`)
      : undefined;
  const lines = diffLines(now?.[zone] ?? "", text);
  return [changeSize(lines), ...diffView(lines, cli.terminal.colours)];
}
