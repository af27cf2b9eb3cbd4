import type { DeadLetters, Redriven } from "../../client/answers.ts";
import { createClient, type Call } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { internalKeyOf, urlOf } from "../connection.ts";
import { EXIT, failureOf, usage, type ExitCode } from "../failure.ts";
import { textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { count, shortTime, table } from "../table.ts";

const QUEUES = ["run", "wake"] as const;
/** The most that one call sends again. */
const MAX = 100;

/** Doorbells that were delivered too often, by queue. */
export async function listDeadLetters(cli: CommandLine, given: Given): Promise<void> {
  const queues = await Promise.all(
    queuesOf(given).map((queue) => ask<DeadLetters>(cli, "GET", `?queue=${queue}`)),
  );
  print(cli, { queues }, () => queues.flatMap((queue) => lettersLines(queue, cli.terminal.width)));
}

function lettersLines({ queue, count: many, messages }: DeadLetters, width: number): string[] {
  if (many === 0) return [`${queue}: none`];
  const rows = messages.map(({ runId, epoch, receivedCount, ageMs, unreadable }) => [
    unreadable ? `unreadable, ${unreadable.bytes} bytes, digest ${unreadable.digest}` : (runId ?? "a pass"),
    epoch === null ? "" : `epoch ${epoch}`,
    `${shortTime(ageMs)} old`,
    `received ${count(receivedCount, "time")}`,
  ]);
  const unseen = many - messages.length;
  return [
    `${queue}: ${many}`,
    ...table(rows, width - 2).map((row) => `  ${row}`),
    ...(unseen > 0 ? [`  and ${unseen} more`] : []),
  ];
}

/** Rings them again; what cannot be sent stays where it is, and is a failure. */
export async function redrive(cli: CommandLine, given: Given): Promise<ExitCode> {
  const said = textOption(given, "max");
  const max = said === undefined ? undefined : Number(said);
  if (max !== undefined && !(Number.isInteger(max) && max >= 1 && max <= MAX)) {
    throw usage(`--max is "${said ?? ""}"; expected a whole number from 1 to ${MAX}`);
  }
  const queues: Redriven[] = [];
  for (const queue of queuesOf(given)) {
    const body = { queue, ...(max !== undefined && { max }) };
    queues.push(await ask<Redriven>(cli, "POST", "/redrive", { body }));
  }
  print(cli, { queues }, () =>
    queues.map(({ queue, redriven, failed, left }) => {
      const stayed = failed > 0 ? `, ${failed} could not be sent` : "";
      return `${queue}: ${redriven} sent again${stayed}, ${left} left`;
    }),
  );
  return queues.some(({ failed }) => failed > 0) ? EXIT.failed : EXIT.ok;
}

const queuesOf = (given: Given): readonly string[] => {
  const queue = textOption(given, "queue");
  return queue === undefined ? QUEUES : [queue];
};

/** With the key that only operators have. */
async function ask<T>(cli: CommandLine, method: "GET" | "POST", path: string, call: Call = {}): Promise<T> {
  const headers = { "x-internal-key": internalKeyOf(cli.env) };
  if (method === "POST") cli.aboutToWrite();
  const client = createClient({ url: urlOf(cli.env), key: "" });
  const answer = await client.call<T>(method, `/api/internal/dead-letters${path}`, { ...call, headers });
  if (answer.ok) return answer.value;
  throw failureOf(answer.problem);
}
