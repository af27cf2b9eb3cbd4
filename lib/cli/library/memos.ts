import type { MemoEntry, MemoHit, ShownMemo } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { printable } from "../../core/printable.ts";
import { print, type CommandLine } from "../command-line.ts";
import { limitOption, listOption, operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, table } from "../table.ts";
import { findMemo } from "./find-memo.ts";

export async function listMemos(cli: CommandLine, given: Given): Promise<void> {
  const limit = limitOption(given, 50);
  const query = new URLSearchParams({ limit: String(Math.min(limit, 100)) });
  const tags = listOption(given, "tag");
  const type = textOption(given, "type");
  if (tags.length > 0) query.set("tag", tags.join(","));
  if (type) query.set("type", type);
  const items = await cli.api("agent").list<MemoEntry>(`/api/memos?${query.toString()}`, limit);
  print(cli, { items }, () => table(items.map(row), cli.terminal.width));
}

const row = ({ memoId, title, tags, contentVersion, updatedAt }: MemoEntry): string[] => [
  localTime(updatedAt),
  memoId,
  `v${contentVersion}`,
  title,
  tags.join(" "),
];

/** The text and nothing else, so that it can be piped into a file. */
export async function showMemo(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("agent");
  const memo = await findMemo(api, operand(given, 0));
  const version = textOption(given, "at");
  const shown = version
    ? await api.get<ShownMemo>(`/api/memos/${memo.memoId}/versions/${segment(version)}`)
    : memo;
  if (cli.json) print(cli, shown, () => []);
  else cli.terminal.write(shown.body.endsWith("\n") ? shown.body : `${shown.body}\n`);
}

export async function searchMemos(cli: CommandLine, given: Given): Promise<void> {
  const limit = Math.min(limitOption(given, 10), 50);
  const q = segment(given.args.join(" "));
  const items = await cli.api("agent").list<MemoHit>(`/api/memos?limit=${limit}&q=${q}`, limit);
  print(cli, { items }, () => {
    if (items.length === 0) return ["Nothing was found."];
    return items.flatMap(({ memoId, title, score, snippet }) => [
      `${cli.terminal.colours.bold(printable(title))}  ${memoId}  ${score.toFixed(2)}`,
      `  ${printable(snippet).replaceAll(/\s+/g, " ")}`,
    ]);
  });
}
