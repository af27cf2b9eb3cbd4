import { watch as watchFile, type FSWatcher } from "node:fs";
import { dirname } from "node:path";
import type { CommandLine } from "../command-line.ts";
import { EXIT, Failure, type ExitCode } from "../failure.ts";
import { pause } from "../pause.ts";
import { isFolder } from "./workflow-files.ts";

/** An editor saves in several steps; they are one change. */
const SETTLE_MS = 60;

/**
 * Checks now and after every change, until it is interrupted. The lines around each round are what a problem
 * matcher begins and ends on.
 */
export async function watch(
  { terminal, clock, isHeard }: CommandLine,
  paths: readonly string[],
  once: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const time = () => new Date(clock.now()).toISOString().slice(11, 19);
  let wake = () => {};
  let dirty = true;
  const watchers = foldersOf(paths).map(([folder, recursive]): FSWatcher =>
    watchFile(folder, { recursive }, (_event, name) => {
      if (name !== null && !/\.(?:md|markdown)$/i.test(name)) return;
      dirty = true;
      wake();
    }),
  );
  try {
    for (;;) {
      if (dirty) {
        await pause(SETTLE_MS);
        dirty = false;
        terminal.say(`[${time()}] Checking …`);
        await onceOrSay(terminal.say, once);
        terminal.say(`[${time()}] Checked. Watching for changes.`);
        if (!isHeard()) return EXIT.ok;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** A file that is being moved is not there for a moment; the next change checks again. */
async function onceOrSay(say: (line: string) => void, once: () => Promise<ExitCode>): Promise<void> {
  try {
    await once();
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== EXIT.notFound) throw error;
    say(error.message);
  }
}

/** A file is watched through its folder: editors replace files, and a watch on the old one would see nothing. */
const foldersOf = (paths: readonly string[]): [folder: string, recursive: boolean][] => [
  ...new Map(paths.map((path) => (isFolder(path) ? [path, true] : [dirname(path), false]))),
];
