import { parseDuration } from "../core/duration.ts";
import { AppError } from "../core/errors.ts";
import type { Source } from "../core/source.ts";
import type { Catalog } from "../memos/catalog.ts";
import { isTerminal, type Run } from "../runs/run.ts";
import { shownStatus } from "../runs/run-view.ts";
import type { RunStore } from "../runs/store.ts";
import { lineOf, minuteOf } from "./lines.ts";

/** Most runs listed; the newest say most. */
const MAX_RUNS = 200;
const PAGE = 50;

/** `runs:7d`: the owner's runs of that time, newest first, with how each ended. The asking run is left out. */
export function createRunsSource(deps: { runs: RunStore; catalog: Catalog }): Source {
  return {
    scheme: "runs",
    async read({ ownerUid, runId, at }, argument) {
      const withinMs = parseDuration(argument);
      if (withinMs === undefined) {
        const message = `runs: takes a time such as 7d, not "${argument}"`;
        throw new AppError("source_unavailable", message, { source: `runs:${argument}` });
      }
      const found = await runsSince(deps.runs, ownerUid, at - withinMs, runId);
      if (found.length === 0) return [];
      const titles = new Map(
        (await deps.catalog.entries(ownerUid)).map((entry) => [entry.memoId as string, entry.title]),
      );
      const lines = found.slice(0, MAX_RUNS).map((run) => runLine(run, titles.get(run.workflowId)));
      const more = found.length > MAX_RUNS ? ["- and more, which are left out"] : [];
      return [{ title: `Runs of the last ${argument}`, text: [...lines, ...more].join("\n") }];
    },
  };
}

async function runsSince(runs: RunStore, ownerUid: string, since: number, own: string): Promise<Run[]> {
  const found: Run[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await runs.runsOfOwner(ownerUid, PAGE, start);
    const heads = await runs.readHeads(page.runIds);
    const recent = heads.filter((run) => run.createdAt >= since);
    found.push(...recent.filter((run) => run.runId !== own));
    if (recent.length < heads.length || found.length > MAX_RUNS) break;
    start = page.next;
  } while (start);
  return found;
}

function runLine(run: Run, title: string | undefined): string {
  const ended = isTerminal(run) ? run : undefined;
  return lineOf(minuteOf(run.createdAt), title ?? run.workflowId, run.runId, shownStatus(run), {
    code: "error" in run ? run.error?.code : undefined,
    wrote: ended?.landing?.memoId,
    by: run.requestedBy.username,
  });
}
