import type { ShownWorkflow } from "../../client/answers.ts";
import { print, type CommandLine } from "../command-line.ts";
import { flag } from "../options.ts";
import type { Given } from "../program.ts";
import { table } from "../table.ts";

/** Commands with what they take; those that may not run only when all are asked for. */
export async function loops(cli: CommandLine, given: Given): Promise<void> {
  const all = await cli.api("agent").list<ShownWorkflow>("/api/workflows", Infinity);
  const items = all.filter(
    (workflow) => flag(given, "all") || (workflow.compiles && workflow.waits === null),
  );
  print(cli, { items, nextCursor: null }, () => {
    if (items.length === 0) return ["No workflow may run now. mythos loops --all shows why."];
    return table(items.toSorted(byCommand).map(row), cli.terminal.width);
  });
}

const byCommand = (a: ShownWorkflow, b: ShownWorkflow): number =>
  (a.command ?? "") < (b.command ?? "") ? -1 : 1;

function row({ command, title, inputs, summary, waits, compiles }: ShownWorkflow): string[] {
  const takes = inputs.map(({ name, required }) => (required ? name : `[${name}]`)).join(" ");
  const state = compiles ? (waits ?? "live") : "does not compile";
  return [command ?? `(${title})`, takes, state, summary ?? ""];
}
