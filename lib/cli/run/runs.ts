import type { ShownLoad, ShownRun, ShownRunRecord, ShownStep } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { confirmed, print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage, type ExitCode } from "../failure.ts";
import { flag, limitOption, operand, textOption } from "../options.ts";
import { parseDuration } from "../../core/duration.ts";
import type { Given } from "../program.ts";
import { localTime, table } from "../table.ts";
import { exitOfRun, followRun, hasStopped, outcomeLines, stateOf } from "./follow-run.ts";
import { hasItemToCome } from "./item-of-run.ts";

const WATCH_MS = 600_000;

export async function listRuns(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("agent");
  const query = new URLSearchParams();
  const workflow = textOption(given, "workflow");
  const status = textOption(given, "status");
  if (workflow) {
    const { workflowId } = await api.get<{ workflowId: string }>(`/api/workflows/${segment(workflow)}`);
    query.set("workflowId", workflowId);
  }
  if (status) query.set("status", status);
  const limit = limitOption(given, 25);
  query.set("limit", String(Math.min(limit, 100)));
  const items = await api.list<ShownRun>(`/api/runs?${query.toString()}`, limit);
  print(cli, { items }, () => {
    if (items.length === 0) return ["No run yet."];
    const rows = items.map((run) => [
      localTime(run.createdAt),
      run.status,
      run.runId,
      run.error?.code ?? run.holdId ?? "",
    ]);
    return table(rows, cli.terminal.width);
  });
}

export async function showRun(cli: CommandLine, given: Given): Promise<void> {
  const run = await cli.api("agent").get<ShownRunRecord>(`/api/runs/${segment(operand(given, 0))}`);
  print(cli, run, () => runLines(run, cli.terminal.width));
}

function runLines(run: ShownRunRecord, width: number): string[] {
  const cost = run.costMicroUsd === null ? "no price" : `$${(run.costMicroUsd / 1_000_000).toFixed(4)}`;
  return [
    ...table([
      ["Run", run.runId],
      ["Workflow", run.manifest ? `${run.manifest.title} ${run.manifest.trigger.command}` : run.workflowId],
      ["Status", stateOf(run)],
      ["Asked by", run.requestedBy.username],
      ["Started", localTime(run.createdAt)],
      ["Ended", localTime(run.settledAt)],
      ["Spent", `${run.tokens} tokens, ${cost}`],
    ]),
    ...outcomeLines(run).slice(1),
    ...(run.steps.length > 0 ? ["", "Steps", ...indented(table(run.steps.map(stepRow), width))] : []),
    ...(run.loads.length > 0 ? ["", "Loaded", ...indented(table(run.loads.map(loadRow), width))] : []),
  ];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const stepRow = ({ id, kind, status, tokens, ms }: ShownStep): string[] => [
  id,
  kind,
  status,
  tokens > 0 ? `${tokens} tokens` : "",
  ms === null ? "" : `${ms} ms`,
];

const loadRow = (load: ShownLoad): string[] => [
  load.class,
  load.loaded ? "loaded" : "skipped",
  load.title ? `${load.title} v${load.contentVersion ?? "–"}` : load.ref,
  load.tokens === undefined ? "" : `${load.tokens} tokens`,
  load.reason,
];

/** A line for each change; the exit code says how it ended. */
export async function watchRun(cli: CommandLine, given: Given): Promise<ExitCode> {
  const said = textOption(given, "wait");
  const waitMs = said === undefined ? WATCH_MS : parseDuration(said);
  if (waitMs === undefined) throw usage(`--wait is "${said ?? ""}"; expected a duration such as 30s or 10m`);
  const inLines = flag(given, "jsonl");
  const onChange = (run: ShownRunRecord) => {
    if (inLines) cli.terminal.out(JSON.stringify(run));
    else if (!cli.json) cli.terminal.out(`${localTime(cli.clock.now())}  ${stateOf(run)}`);
  };
  const api = cli.api("agent");
  const runId = operand(given, 0);
  const run = await followRun(cli, api, runId, waitMs, {
    onChange,
    until: (seen) => hasStopped(seen) || !cli.isHeard(),
    isQueued: () => hasItemToCome(api, runId),
  });
  if (!hasStopped(run)) return EXIT.ok;
  if (!inLines) print(cli, run, () => outcomeLines(run));
  return exitOfRun(run);
}

export async function cancelRun(cli: CommandLine, given: Given): Promise<ExitCode> {
  const runId = operand(given, 0);
  if (!(await confirmed(cli, `Cancel ${runId}?`))) throw new Failure(EXIT.failed, "not cancelled");
  const run = await cli.api("agent").post<ShownRun>(`/api/runs/${segment(runId)}/cancel`);
  print(cli, run, () => outcomeLines(run));
  return EXIT.ok;
}
