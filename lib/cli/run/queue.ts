import type { ShownItem } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import { print, type CommandLine } from "../command-line.ts";
import { limitOption, operand, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { localTime, table } from "../table.ts";

export async function listQueue(cli: CommandLine, given: Given): Promise<void> {
  const query = new URLSearchParams();
  const workflow = textOption(given, "workflow");
  const status = textOption(given, "status");
  if (workflow) query.set("workflow", workflow);
  if (status) query.set("status", status);
  const limit = limitOption(given, 25);
  query.set("limit", String(Math.min(limit, 100)));
  const items = await cli.api("agent").list<ShownItem>(`/api/items?${query.toString()}`, limit);
  print(cli, { items }, () => {
    if (items.length === 0) return ["The queue is empty."];
    return table(
      items.map((item) => [localTime(item.enqueuedAt), item.status, item.itemId, item.dedupeKey]),
      cli.terminal.width,
    );
  });
}

export async function showItem(cli: CommandLine, given: Given): Promise<void> {
  const item = await cli
    .api("agent")
    .get<ShownItem & { payload: string | null }>(`/api/items/${segment(operand(given, 0))}`);
  print(cli, item, () => [
    ...table([
      ["Item", item.itemId],
      ["Status", item.status],
      ["Run", item.runId],
      ["Key", item.dedupeKey],
      ["Enqueued", localTime(item.enqueuedAt)],
    ]),
    ...(item.payload === null ? [] : ["", item.payload]),
  ]);
}
