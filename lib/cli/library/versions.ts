import type { ShownMemo, ShownVersion } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { changeSize, diffLines, diffView } from "../line-diff.ts";
import { limitOption, operand } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, table } from "../table.ts";
import { findMemo } from "./find-memo.ts";

export async function history(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("agent");
  const { memoId } = await findMemo(api, operand(given, 0));
  const limit = limitOption(given, 25);
  const items = await api.list<ShownVersion>(
    `/api/memos/${memoId}/versions?limit=${Math.min(limit, 100)}`,
    limit,
  );
  print(cli, { items }, () => table(items.map(row), cli.terminal.width));
}

const row = ({ contentVersion, updatedAt, writtenBy, runId, title }: ShownVersion): string[] => [
  `v${contentVersion}`,
  localTime(updatedAt),
  runId ?? writtenBy.username,
  title,
];

export async function diff(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("agent");
  const memo = await findMemo(api, operand(given, 0));
  const version = (n: string) => api.get<ShownMemo>(`/api/memos/${memo.memoId}/versions/${segment(n)}`);
  const to = operand(given, 2);
  const [before, after] = await Promise.all([version(operand(given, 1)), to ? version(to) : memo]);
  const lines = diffLines(before.body, after.body);
  const value = { memoId: memo.memoId, from: before.contentVersion, to: after.contentVersion, lines };
  print(cli, value, () => [
    `${memo.title}: v${before.contentVersion} → v${after.contentVersion}, ${changeSize(lines)}`,
    ...diffView(lines, cli.terminal.colours),
  ]);
}
