import type { ShownRun, ShownRunRecord } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import type { CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { EXIT, Failure, failureOf, type ExitCode } from "../failure.ts";
import { pause } from "../pause.ts";
import { exactTime, shortTime } from "../table.ts";

/** Questions get rarer: a short run is seen at once, a long one is not asked for thousands of times. */
const FIRST_POLL_MS = 150;
const MAX_POLL_MS = 3000;
const SLOWER = 1.3;

const ENDS: ReadonlySet<string> = new Set(["done", "failed", "cancelled"]);

/** Whether there is nothing to wait for: it has ended, or a person has to decide. */
export const hasStopped = ({ status }: Pick<ShownRun, "status">): boolean =>
  ENDS.has(status) || status === "suspended";

/**
 * The run once it has stopped; `onChange` sees each state on the way.
 * @throws {Failure} timeout
 */
export async function followRun(
  cli: CommandLine,
  api: Api,
  runId: string,
  waitMs: number,
  options: {
    until?: (run: ShownRunRecord) => boolean;
    onChange?: (run: ShownRunRecord) => void;
    /** Whether a run without a record will get one; asked once. It will when it is the run of an item just enqueued. */
    isQueued?: () => Promise<boolean>;
  } = {},
): Promise<ShownRunRecord> {
  const { until = hasStopped, onChange } = options;
  let { isQueued } = options;
  const startedAt = cli.clock.now();
  let status = "queued";
  let last = "";
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * SLOWER)) {
    const answer = await api.ask<ShownRunRecord>("GET", `/api/runs/${segment(runId)}`);
    if (answer.ok) {
      const run = answer.value;
      status = stateOf(run);
      if (status !== last) onChange?.(run);
      last = status;
      if (until(run)) {
        cli.terminal.progress("");
        return run;
      }
    } else {
      // A run that nobody has claimed yet has no record.
      const isWaiting = answer.problem.code === "run_not_found" && (await (isQueued?.() ?? true));
      if (!isWaiting) throw failureOf(answer.problem);
      isQueued = undefined;
    }
    const waitedMs = cli.clock.now() - startedAt;
    if (waitedMs >= waitMs) {
      const message = `the run is still ${status} after ${exactTime(waitedMs)}`;
      throw new Failure(EXIT.timeout, message, `It goes on: mythos runs watch ${runId}`);
    }
    cli.terminal.progress(`${status} … ${shortTime(waitedMs)}`);
    await pause(Math.min(pollMs, waitMs - waitedMs));
  }
}

/** Status with the step that is at work. */
export function stateOf({ status, steps }: ShownRunRecord): string {
  const at = steps.find((step) => step.status === "running");
  return at ? `${status} at ${at.id}` : status;
}

/** The exit code that a run which stopped has. */
export function exitOfRun({
  status,
  error,
  holdKind,
}: Pick<ShownRun, "status" | "error" | "holdKind">): ExitCode {
  if (status === "done") return EXIT.ok;
  if (status === "suspended") return holdKind === "budget" ? EXIT.budget : EXIT.held;
  return error?.code.startsWith("budget") ? EXIT.budget : EXIT.runFailed;
}

const HELD_FOR: Readonly<Record<string, string>> = {
  conflict: ", since its memo was changed meanwhile",
  budget: ", since a step is over its budget",
};

/** What became of it, and what can be done next. */
export function outcomeLines({ runId, status, holdId, holdKind, error, landing }: ShownRun): string[] {
  switch (status) {
    case "done": {
      const memoId = landing?.["memoId"];
      return [`Done     ${runId}`, ...(typeof memoId === "string" ? [`Memo     ${memoId}`] : [])];
    }
    case "suspended":
      return [
        `Held     ${holdId ?? ""}${HELD_FOR[holdKind ?? ""] ?? ""}`,
        `Next     mythos holds show ${holdId ?? ""} --diff`,
      ];
    default:
      return [`${status.padEnd(8)} ${runId}`, ...(error ? [`Why      ${error.code}: ${error.message}`] : [])];
  }
}
