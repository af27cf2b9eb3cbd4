import { writeFileSync } from "node:fs";
import type { Enqueued, ShownSchedule, ShownSessionReport } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { EXIT, Failure, usage, type ExitCode } from "../failure.ts";
import { flag, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { exitOfRun, followRun } from "../run/follow-run.ts";
import { count, localTime, table } from "../table.ts";

const COMMAND = "/api/workflows/session-steward";
const WAIT_MS = 900_000;

/** One pass of the session steward, a dry run unless `--apply`; prints what it found, decided and did. */
export async function steward(cli: CommandLine, given: Given): Promise<ExitCode> {
  const to = textOption(given, "schedule");
  if (to !== undefined) return switchSchedule(cli, to);
  const apply = flag(given, "apply");
  // What changes sessions is a person's to ask for.
  const api = cli.api(apply ? "steward" : "agent");
  const payload = {
    ...(apply && { apply }),
    ...numberOf(given, "idleMinutes", "idle-minutes", 1, Infinity),
    ...numberOf(given, "minConfidence", "min-confidence", 0, 1),
    ...(flag(given, "ask") && { askSessions: true }),
  };
  // Each call is a pass of its own; the same question an hour later is another one.
  const dedupeKey = `mythos steward ${new Date(cli.clock.now()).toISOString()} ${process.pid}`;
  const enqueued = await api.post<Enqueued>(`${COMMAND}/items`, { body: { payload, dedupeKey } });
  const run = await followRun(cli, api, enqueued.runId, WAIT_MS);
  const report = await api.get<ShownSessionReport>(`/api/session-reports/${segment(enqueued.runId)}`);
  const file = textOption(given, "report");
  if (file !== undefined) writeReport(file, report);
  print(cli, report, () => reportLines(report, cli.terminal.width));
  return exitOfRun(run);
}

function numberOf(given: Given, name: string, option: string, least: number, most: number) {
  const said = textOption(given, name);
  if (said === undefined) return {};
  const value = Number(said);
  if (said.trim() !== "" && value >= least && value <= most) return { [name]: value };
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  throw usage(`--${option} is "${said}"; expected a number ${range}`);
}

function writeReport(file: string, { report, status }: ShownSessionReport): void {
  if (report === null) throw new Failure(EXIT.failed, `the pass is ${status} and has no report yet`);
  writeFileSync(file, report);
}

function reportLines(report: ShownSessionReport, width: number): string[] {
  const { apply, rows, counts, proposals, error, memoId } = report;
  if (error) return [`The pass failed: ${error.message} (${error.code})`];
  const head = apply
    ? "Applied: what was sure within its bounds is done."
    : "Dry run: nothing was ended and nothing flagged. Say --apply to act.";
  const found = rows.map(
    ({ sessionId, label, idleMinutes, verdict, confidence, saidBy, outcome, decision, reason }) => [
      sessionId,
      label ?? "–",
      idleMinutes === null ? "?" : `${Math.round(idleMinutes)} m idle`,
      `${verdict ?? "not judged"}${confidence === null ? "" : ` ${confidence.toFixed(2)}`}`,
      saidBy ?? "–",
      outcome ?? decision?.action ?? "–",
      reason,
    ],
  );
  const words = [...proposals.proposals, ...proposals.observed].map(
    ({ kind, sessionId, reason }) => `${kind} ${sessionId}: ${reason}`,
  );
  return [
    head,
    ...(counts
      ? [
          `${count(counts.live, "session")} live: ${counts.busy} busy, ${counts.idle} idle; ${counts.excluded} left out.`,
        ]
      : []),
    ...(found.length === 0 ? ["Nothing to decide."] : ["", ...table(found, width)]),
    ...(words.length === 0 ? [] : ["", "A person may send:", ...words.map((word) => `  ${word}`)]),
    ...(memoId === null ? [] : ["", `Report ${memoId}`]),
  ];
}

async function switchSchedule(cli: CommandLine, to: string): Promise<ExitCode> {
  if (to !== "on" && to !== "off" && to !== "show") {
    throw usage(`--schedule is "${to}"; expected on, off or show`);
  }
  const path = `${COMMAND}/schedules`;
  const body = { status: to === "on" ? "live" : "paused" };
  const { items } =
    to === "show"
      ? await cli.api("agent").get<{ items: ShownSchedule[] }>(path)
      : await cli.api("steward").put<{ items: ShownSchedule[] }>(path, { body });
  print(cli, { items }, () =>
    items.map(({ expression, status, nextAt }) =>
      status === "live" ? `${expression} is on, next ${localTime(nextAt)}` : `${expression} is off`,
    ),
  );
  return EXIT.ok;
}
