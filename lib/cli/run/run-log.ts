import type { LoggedStep, RunLog } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { operand } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, shortTime } from "../table.ts";

/** A run's record as the story that it is: what was asked, what each step did, who decided, how it ended. */
export async function logRun(cli: CommandLine, given: Given): Promise<void> {
  const run = await cli.api("agent").get<RunLog>(`/api/runs/${segment(operand(given, 0))}`);
  print(cli, run, () => logLines(run));
}

/** The lines of a log, oldest first; those without a time of their own follow the one above them. */
export function logLines(run: RunLog): string[] {
  return [
    line(run.createdAt, `created for ${run.itemId} by ${run.requestedBy.username}`),
    ...(run.forkOf ? [more(`keeps what ${run.forkOf.runId} did before ${run.forkOf.step}`)] : []),
    ...run.steps.filter(({ status }) => status !== "pending").flatMap(stepLines),
    ...(run.recoveries > 0 ? [more(`went quiet and was recovered ${run.recoveries} times`)] : []),
    ...(run.hops > 0 ? [more(`was continued by another runner ${run.hops} times`)] : []),
    ...holdLines(run),
    ...endLines(run),
  ];
}

function stepLines(step: LoggedStep): string[] {
  const { id, kind, status, attempts = [], tools = [], failed = [], loads = [] } = step;
  const took = step.ms === null ? "" : `, ${shortMs(step.ms)}`;
  const tokens = step.tokens > 0 ? `, ${step.tokens} tokens` : "";
  const said = `${kind} ${id}: ${step.keptFrom ? `kept from ${step.keptFrom}` : status}${took}${tokens}`;
  const loaded = loads.filter(({ loaded: isLoaded }) => isLoaded).length;
  return [
    line(step.startedAt, said),
    ...(loads.length > 0 ? [more(`${loaded} of ${loads.length} loads`)] : []),
    ...failed.map(({ code, tokens: spent }) => more(`no answer: ${code ?? "unknown"}, ${spent} tokens`)),
    ...attempts.map(({ model, stop, ms, failing }, at) => {
      const misfit = failing.map(({ pointer, message }) => `${pointer || "/"} ${message}`).join("; ");
      return more(
        `attempt ${at + 1}: ${model}, ${stop}, ${shortMs(ms)}${misfit && `; does not fit: ${misfit}`}`,
      );
    }),
    ...tools.map(({ name, outcome, ms }) => more(`tool ${name}: ${outcome}, ${shortMs(ms)}`)),
  ];
}

function holdLines({ hold }: RunLog): string[] {
  if (!hold) return [];
  const { decision } = hold;
  return [
    line(hold.openedAt, `held as ${hold.holdId}, revision ${hold.revision}, ${hold.sha256.slice(0, 19)}…`),
    ...(decision
      ? [
          line(
            decision.at,
            `${decision.verdict} by ${decision.username}${decision.reason ? `: ${decision.reason}` : ""}`,
          ),
        ]
      : []),
  ];
}

function endLines({ status, settledAt, error, landing }: RunLog): string[] {
  const memoId = landing?.["memoId"];
  const what = typeof memoId === "string" ? `landed as ${memoId}` : "";
  const why = error ? `${error.code}: ${error.message}` : "";
  if (settledAt === null) return [more(`is ${status}`)];
  return [line(settledAt, [status, what || why].filter(Boolean).join(", "))];
}

const line = (at: number | null | undefined, said: string): string =>
  at === null || at === undefined ? more(said) : `${localTime(at)}  ${said}`;
const more = (said: string): string => `${" ".repeat(16)}  ${said}`;
const shortMs = (ms: number): string => (ms < 1000 ? `${ms} ms` : shortTime(ms));
