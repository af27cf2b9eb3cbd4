import type { ShownCost, ShownCostLine } from "../../client/answers.ts";
import { print, type CommandLine } from "../command-line.ts";
import { textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { count, table } from "../table.ts";

export async function showCost(cli: CommandLine, given: Given): Promise<void> {
  const query = new URLSearchParams();
  for (const name of ["by", "since"]) {
    const said = textOption(given, name);
    if (said !== undefined) query.set(name, said);
  }
  const cost = await cli.api("agent").get<ShownCost>(`/api/cost?${query.toString()}`);
  print(cli, cost, () => costLines(cost, cli.terminal.width));
}

/** A table with a last line that says of which days, and of which prices. */
export function costLines({ by, from, to, complete, pricesAsOf, items, total }: ShownCost, width = Infinity) {
  const days = `${from} to ${to}, UTC`;
  if (items.length === 0) return [`Nothing was spent from ${days}.`];
  const rows = items.map((line) => [nameOf(by, line), ...amounts(line)]);
  const sum = total && items.length > 1 ? [["all", ...amounts(total)]] : [];
  const asOf = pricesAsOf.length === 0 ? "no prices were needed" : `prices as of ${pricesAsOf.join(", ")}`;
  return [
    ...table([[by, "tokens", "calls", "cost"], ...rows, ...sum], width),
    "",
    `${days}; ${asOf}`,
    ...(complete ? [] : ["There was more than one report adds up: earlier work is left out."]),
  ];
}

function nameOf(by: string, line: ShownCostLine): string {
  if (by === "workflow") return line.title ?? line.workflowId ?? "";
  if (by === "session") return line.sessionId ?? "without a session";
  return line.day ?? line.model ?? "";
}

const amounts = ({ tokens, calls, costMicroUsd, unpricedCalls }: ShownCostLine): string[] => [
  String(tokens),
  String(calls),
  costText(costMicroUsd, unpricedCalls),
];

/** `$0.0420`; `no price` where a cost is not known, with how many calls have none. */
function costText(microUsd: number | null, unpriced: number | undefined): string {
  if (microUsd !== null) return `$${(microUsd / 1_000_000).toFixed(4)}`;
  return unpriced ? `no price for ${count(unpriced, "call")}` : "no price";
}
