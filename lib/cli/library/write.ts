import type { ShownMemo } from "../../client/answers.ts";
import { print, type CommandLine } from "../command-line.ts";
import { usage } from "../failure.ts";
import { flag, listOption, operand, readArgument, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { findMemo } from "./find-memo.ts";

/** Makes a memo from standard input, or changes the one that is named. */
export async function writeMemo(cli: CommandLine, given: Given): Promise<void> {
  // As a person: a workflow is written by people.
  const api = cli.api("steward");
  const named = operand(given, 0);
  const title = textOption(given, "title");
  const tags = listOption(given, "tag");
  if (!named && !title)
    throw usage("a new memo needs a title", 'Say --title "…", or name the memo to change.');
  if (process.stdin.isTTY)
    throw usage("the text comes from standard input", "mythos memos write … < file.md");
  const content = {
    body: await readArgument("-"),
    ...(title !== undefined && { title }),
    ...(tags.length > 0 && { tags }),
    ...(flag(given, "workflow") && { memoType: "workflow" }),
  };
  const memo = named
    ? await change(named, content)
    : await api.post<ShownMemo>("/api/memos", { body: content });
  print(cli, memo, () => [`${memo.memoId} v${memo.contentVersion}`]);

  async function change(of: string, body: typeof content): Promise<ShownMemo> {
    const { memoId, contentVersion } = await findMemo(api, of);
    const base = textOption(given, "base") ?? String(contentVersion);
    return api.put<ShownMemo>(`/api/memos/${memoId}`, { body, headers: { "if-match": `"${base}"` } });
  }
}
