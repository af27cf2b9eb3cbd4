import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { readFile, textOption } from "../options.ts";
import type { Given } from "../program.ts";

/** The text of `--file`; undefined without one. */
export async function fileOption(given: Given): Promise<string | undefined> {
  const path = textOption(given, "file");
  if (path === undefined) return undefined;
  return path === "-" ? readAll(process.stdin) : readFile(path);
}

/** A text as a person leaves it in their editor. @throws {Failure} without a terminal or an editor */
export function editText(cli: CommandLine, text: string): string {
  if (!cli.terminal.canAsk) throw usage("there is no terminal for an editor", "Say --file with the text.");
  const editor = cli.env.visual ?? cli.env.editor ?? "vi";
  const folder = mkdtempSync(join(tmpdir(), "mythos-"));
  const file = join(folder, "proposal.md");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // An editor may be set with options of its own, as in EDITOR="code --wait".
    const { status, error } = spawnSync(`${editor} "$0"`, [file], { stdio: "inherit", shell: "/bin/sh" });
    if (error || status !== 0) {
      throw new Failure(
        EXIT.failed,
        `the editor ${editor} ended with ${error?.message ?? status}`,
        "It still waits.",
      );
    }
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
