import { basename, relative, sep } from "node:path";
import type { Imported } from "../../client/answers.ts";
import { isFolder, markdownIn } from "../author/workflow-files.ts";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, type ExitCode } from "../failure.ts";
import { flag, operand, readFile } from "../options.ts";
import type { Given } from "../program.ts";
import { count, table } from "../table.ts";
import { looked, type Looked } from "./imported-workflows.ts";

/** Files of one request; the host takes 100, and 5 MB of them. */
const BATCH_FILES = 50;
const BATCH_BYTES = 3_000_000;

type File = { path: string; text: string };

/** Brings files in, batch by batch; 1 when one was refused, 6 when one does not compile and `--strict` says so. */
export async function importFolder(cli: CommandLine, given: Given): Promise<ExitCode> {
  const api = cli.api("steward");
  const from = operand(given, 0);
  const paths = isFolder(from) ? markdownIn(from) : [from];
  const files: Looked[] = [];
  for (const batch of batches(from, paths)) {
    cli.terminal.progress(`importing ${files.length} of ${paths.length} …`);
    const answer = await api.post<{ files: Imported[] }>("/api/memos/import", { body: { files: batch } });
    files.push(...(await looked(api, answer.files, batch)));
  }
  cli.terminal.progress("");
  print(cli, { files }, () => [
    ...table(files.filter(({ outcome, hint }) => outcome !== "unchanged" || hint).map(row)),
    summary(files),
  ]);
  const broken = files.filter(({ compiles }) => compiles === false);
  if (broken.length > 0) {
    const named = paths.length === 1 ? from : `${from} --online`;
    cli.terminal.say(`${count(broken.length, "workflow")} will not run: mythos check ${named}`);
  }
  if (files.some(({ outcome }) => outcome === "refused")) return EXIT.failed;
  return broken.length > 0 && flag(given, "strict") ? EXIT.compileErrors : EXIT.ok;
}

function* batches(from: string, paths: readonly string[]): Generator<File[]> {
  let batch: File[] = [];
  let bytes = 0;
  for (const path of paths) {
    const text = readFile(path);
    const size = Buffer.byteLength(text);
    if (batch.length > 0 && (batch.length === BATCH_FILES || bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ path: nameOf(from, path), text });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** The path below the folder, with `/`: the same file is the same memo on every system. */
const nameOf = (from: string, path: string): string =>
  path === from ? basename(path) : relative(from, path).split(sep).join("/");

const row = ({ path, memoId, outcome, message, hint }: Looked): string[] => [
  outcome,
  path,
  memoId ?? "",
  message ?? hint ?? "",
];

function summary(files: readonly Imported[]): string {
  const of = (outcome: Imported["outcome"]): number =>
    files.filter((file) => file.outcome === outcome).length;
  const refused = of("refused");
  const said = `${count(files.length, "file")}: ${of("created")} created, ${of("updated")} updated, ${of("unchanged")} unchanged`;
  return refused > 0 ? `${said}, ${refused} refused` : said;
}
