import { createClient } from "../../client/client.ts";
import type { PassReport } from "../../core/pass-report.ts";
import { print, type CommandLine } from "../command-line.ts";
import { internalKeyOf, urlOf } from "../connection.ts";
import { failureOf } from "../failure.ts";

/** One round now, with the key that only operators have. */
export async function runPass(cli: CommandLine): Promise<void> {
  const headers = { "x-internal-key": internalKeyOf(cli.env) };
  cli.aboutToWrite();
  const client = createClient({ url: urlOf(cli.env), key: "" });
  const answer = await client.call<PassReport>("GET", "/api/internal/cron/run-workflows", { headers });
  if (!answer.ok) throw failureOf(answer.problem);
  print(cli, answer.value, () => [countsLine(answer.value)]);
}

/** What a round did, without what it did not. */
export function countsLine({ skipped, modelCalls: _calls, ms, pending, ...counts }: PassReport): string {
  const did = Object.entries(counts).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > 0 && entry[0] !== "at",
  );
  const said = did.map(([name, many]) => `${name} ${many}`);
  const reasons = Object.entries(skipped).map(([reason, many]) => `${reason} ${many}`);
  return [...(said.length > 0 ? said : ["nothing to do"]), ...reasons, `pending ${pending}`, `${ms} ms`].join(
    ", ",
  );
}
