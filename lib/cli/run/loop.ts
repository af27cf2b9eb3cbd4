import type { Enqueued, ShownWorkflow } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { EXIT, Failure, usage, type ExitCode } from "../failure.ts";
import { listOption, operand, readPayload, textOption, waitOption } from "../options.ts";
import type { Given } from "../program.ts";
import { exitOfRun, followRun, outcomeLines } from "./follow-run.ts";

const WAIT_MS = 600_000;

/** Enqueues, and with `--wait` says what became of it by the exit code. */
export async function loop(cli: CommandLine, given: Given): Promise<ExitCode> {
  const waitMs = waitOption(given, WAIT_MS);
  const api = cli.api("agent", textOption(given, "session"));
  const enqueued = await send(api, given);
  if (waitMs === undefined || isOther(enqueued)) return told(cli, enqueued);
  for (const line of enqueuedLines(enqueued)) cli.terminal.say(line);
  if (enqueued.why === "compile_error") {
    throw new Failure(
      EXIT.compileErrors,
      "the workflow does not compile; the item waits",
      "mythos loops --all",
    );
  }
  const run = await followRun(cli, api, enqueued.runId, waitMs);
  print(cli, run, () => outcomeLines(run));
  return exitOfRun(run);
}

export async function enqueue(cli: CommandLine, given: Given): Promise<ExitCode> {
  return told(cli, await send(cli.api("agent", textOption(given, "session")), given));
}

/** The key has been used for another payload: what was asked for now is not in the queue. */
const isOther = ({ reason }: Enqueued): boolean => reason === "payload_mismatch";

/** @throws {Failure} conflict, behind the answer */
function told(cli: CommandLine, enqueued: Enqueued): ExitCode {
  print(cli, enqueued, () => enqueuedLines(enqueued));
  if (!isOther(enqueued)) return EXIT.ok;
  throw new Failure(
    EXIT.conflict,
    `the key ${enqueued.dedupeKey} was used for another payload; nothing was enqueued`,
    `Say another --key, or see what has this one: mythos queue show ${enqueued.itemId}`,
  );
}

async function send(api: Api, given: Given): Promise<Enqueued> {
  const command = operand(given, 0);
  const payload = await payloadOf(api, command, given);
  const key = textOption(given, "key");
  // The payload goes as the text that it is: its numbers and the order of its keys are the caller's.
  const bodyText = `{"payload":${payload}${key === undefined ? "" : `,"dedupeKey":${JSON.stringify(key)}`}}`;
  return api.post<Enqueued>(`/api/workflows/${segment(command)}/items`, { bodyText });
}

async function payloadOf(api: Api, command: string, given: Given): Promise<string> {
  const said = textOption(given, "payload");
  const sets = listOption(given, "set");
  if (sets.length === 0) return said === undefined ? "{}" : readPayload(said);
  const base = said === undefined ? {} : (JSON.parse(await readPayload(said)) as Record<string, unknown>);
  const { inputs } = await api.get<ShownWorkflow>(`/api/workflows/${segment(command)}`);
  const values = sets.map((set) => {
    const at = set.indexOf("=");
    if (at < 1) throw usage(`--set is "${set}"; expected name=value`);
    const name = set.slice(0, at);
    const type = inputs.find((input) => input.name === name)?.type ?? "string";
    return [name, valueOf(name, type, set.slice(at + 1))] as const;
  });
  return JSON.stringify({ ...base, ...Object.fromEntries(values) });
}

/** What was typed, as the Input's type has it. */
function valueOf(name: string, type: string, typed: string): unknown {
  if (type !== "number" && type !== "boolean" && type !== "json") return typed;
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    throw usage(`--set ${name} is "${typed}"; expected a ${type === "json" ? "JSON value" : type}`);
  }
}

function enqueuedLines({ enqueued, reason, itemId, runId, status, why }: Enqueued): string[] {
  const said = enqueued ? `Enqueued ${itemId}` : `Already there: ${itemId} (${reason ?? "same key"})`;
  const state =
    status === "waiting"
      ? [`Waits    ${why ?? "for its lane"}`]
      : status === "queued"
        ? []
        : [`Status   ${status}`];
  return [said, `Run      ${runId}`, ...state];
}
