import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MemoEntry, ShownMemo } from "../../client/answers.ts";
import { print, type CommandLine } from "../command-line.ts";
import { readText } from "../connection.ts";
import { EXIT, Failure } from "../failure.ts";
import { flag, listOption, operand } from "../options.ts";
import type { Given } from "../program.ts";
import { count } from "../table.ts";

/** Writes each memo as a file that imports as the same memo; a file that differs is kept unless `--force`. */
export async function exportMemos(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("agent");
  const folder = operand(given, 0);
  const tags = listOption(given, "tag");
  const path =
    tags.length > 0
      ? `/api/memos?limit=100&tag=${encodeURIComponent(tags.join(","))}`
      : "/api/memos?limit=100";
  const entries = await api.list<MemoEntry>(path, Infinity);
  const files: { path: string; text: string; memoId: string }[] = [];
  const taken = new Set<string>();
  for (const { memoId } of entries) {
    cli.terminal.progress(`reading ${files.length} of ${entries.length} …`);
    const memo = await api.get<ShownMemo>(`/api/memos/${memoId}`);
    files.push({ path: join(folder, nameFor(memo, taken)), text: fileText(memo), memoId });
  }
  cli.terminal.progress("");
  if (!flag(given, "force")) {
    const other = files.find((file) => (readText(file.path) ?? file.text) !== file.text);
    if (other)
      throw new Failure(
        EXIT.conflict,
        `${other.path} is there and differs`,
        "Nothing was written. Say --force to write over it.",
      );
  }
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(file.path, file.text);
  print(cli, { files: files.map((file) => ({ path: file.path, memoId: file.memoId })) }, () => [
    `${count(files.length, "file")} in ${folder}`,
  ]);
}

/** Letters and digits of the title; two memos of one title differ by the end of their ids. */
function nameFor({ title, memoId }: ShownMemo, taken: Set<string>): string {
  const slug = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 80);
  const plain = slug || "memo";
  const name = taken.has(plain) ? `${plain}-${memoId.slice(-8)}` : plain;
  taken.add(name);
  return `${name}.md`;
}

/** The text behind what an import needs to find the memo again; the notes zone is not part of a file. */
export function fileText({ memoId, title, tags, memoType, visibility, body }: ShownMemo): string {
  const settings = { id: memoId, title, tags, memoType, visibility };
  // JSON is YAML; a title may hold anything.
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ["---", "# exported", ...lines, "---", body].join("\n");
}
