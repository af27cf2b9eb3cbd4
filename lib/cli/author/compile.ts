import type { Preview, ShownMemo } from "../../client/answers.ts";
import type { Diagnostic } from "../../workflows/diagnostics.ts";
import { Manifest } from "../../workflows/manifest.ts";
import type { CommandLine } from "../command-line.ts";
import { EXIT, type ExitCode } from "../failure.ts";
import { flag, operand, readFile } from "../options.ts";
import type { Given } from "../program.ts";
import { compileOffline } from "./compile-offline.ts";
import { explainManifest, tokensOf, type Sizes } from "./explain-manifest.ts";
import { prettyDiagnostic, summaryLine } from "./pretty.ts";

/** Prints a manifest, or what it means; 6 when the file does not compile. */
export async function compile(cli: CommandLine, given: Given): Promise<ExitCode> {
  const path = operand(given, 0);
  const text = readFile(path);
  const { manifest, diagnostics } = flag(given, "online")
    ? await compileOnline(cli, text)
    : await compileHere(cli, text);
  for (const diagnostic of diagnostics) {
    for (const line of prettyDiagnostic(path, text, diagnostic, cli.terminal.tones)) cli.terminal.say(line);
  }
  if (!manifest) {
    cli.terminal.say(summaryLine([{ path, text, diagnostics }]));
    return EXIT.compileErrors;
  }
  if (flag(given, "explain") && !cli.json) {
    const sizes = flag(given, "online") ? await sizesOf(cli, manifest) : new Map<string, number>();
    for (const line of explainManifest(manifest, sizes)) cli.terminal.out(line);
  } else cli.terminal.out(JSON.stringify(manifest, null, 2));
  return EXIT.ok;
}

type Result = { manifest: Manifest | null; diagnostics: readonly Diagnostic[] };

/** The memos that a manifest names, as they are now. */
async function sizesOf(cli: CommandLine, { load }: Manifest): Promise<Sizes> {
  const api = cli.api("agent");
  const ids = load.flatMap((line) =>
    line.class === "search" || line.memo.id === null ? [] : [line.memo.id],
  );
  const memos = await Promise.all(ids.map((memoId) => api.get<ShownMemo>(`/api/memos/${memoId}`)));
  return new Map(memos.map(({ memoId, body }) => [memoId, tokensOf(body)]));
}

async function compileHere({ clock }: CommandLine, text: string): Promise<Result> {
  const compiled = await compileOffline(text, clock.now());
  return { manifest: compiled.ok ? compiled.manifest : null, diagnostics: compiled.diagnostics };
}

async function compileOnline(cli: CommandLine, text: string): Promise<Result> {
  const answer = await cli.api("agent").post<Preview>("/api/workflows/preview", { body: { text } });
  return { manifest: answer.manifest && Manifest.parse(answer.manifest), diagnostics: answer.diagnostics };
}
