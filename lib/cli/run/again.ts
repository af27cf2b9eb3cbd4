import type { Rerun, ShownItem, ShownRun } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { confirmed, print, type CommandLine } from "../command-line.ts";
import type { Api } from "../connection.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { outcomeLines } from "./follow-run.ts";

/** The same item once more, from the beginning. */
export async function retryItem(cli: CommandLine, given: Given): Promise<void> {
  const api = cli.api("agent", textOption(given, "session"));
  show(cli, await api.post<Rerun>(`/api/items/${segment(operand(given, 0))}/requeue`));
}

/** Takes an item that waits out of the queue; one that runs already is a run to cancel. */
export async function dropItem(cli: CommandLine, given: Given): Promise<void> {
  const itemId = operand(given, 0);
  const api = cli.api("agent");
  const item = await api.get<ShownItem>(`/api/items/${segment(itemId)}`);
  if (item.status !== "pending") {
    throw new Failure(
      EXIT.conflict,
      `item ${itemId} is ${item.status} and does not wait`,
      item.status === "claimed" ? `Stop its run: mythos runs cancel ${item.runId}` : undefined,
    );
  }
  if (!(await confirmed(cli, `Drop ${itemId}?`))) throw new Failure(EXIT.failed, "not dropped");
  const run = await api.post<ShownRun>(`/api/items/${segment(itemId)}/cancel`);
  print(cli, run, () => [`Dropped  ${itemId}`, ...outcomeLines(run).slice(1)]);
}

/** A new run of an ended one's item. */
export async function rerunRun(cli: CommandLine, given: Given): Promise<void> {
  const runId = operand(given, 0);
  const api = cli.api("agent", textOption(given, "session"));
  await agreedTo(cli, api, runId);
  show(cli, await api.post<Rerun>(`/api/runs/${segment(runId)}/rerun`));
}

/** A new run that keeps the steps before one. */
export async function forkRun(cli: CommandLine, given: Given): Promise<void> {
  const runId = operand(given, 0);
  const fromStep = textOption(given, "from");
  if (!fromStep) {
    throw usage("a fork needs the step to go on from", `Say --from STEP; see mythos runs show ${runId}`);
  }
  const api = cli.api("agent", textOption(given, "session"));
  await agreedTo(cli, api, runId);
  show(cli, await api.post<Rerun>(`/api/runs/${segment(runId)}/fork`, { body: { fromStep } }));
}

/** What has landed will land once more: somebody has to want that. */
async function agreedTo(cli: CommandLine, api: Api, runId: string): Promise<void> {
  const { landing } = await api.get<ShownRun>(`/api/runs/${segment(runId)}`);
  const memoId = landing?.["memoId"];
  if (typeof memoId !== "string") return;
  const question = `Run ${runId} has landed as ${memoId}; its successor would land once more. Go on?`;
  if (!(await confirmed(cli, question))) throw new Failure(EXIT.failed, "not run again");
}

function show(cli: CommandLine, again: Rerun): void {
  const { itemId, runId, forkOf, repeated } = again;
  print(cli, again, () => [
    repeated ? `Already there: ${itemId}` : `Enqueued ${itemId}`,
    `Run      ${runId}`,
    ...(forkOf ? [`Keeps    what ${forkOf.runId} did before ${forkOf.step}`] : []),
  ]);
}
