/*
 * What a run costs: write units by the pricing rules, from the sizes of the rows and the definitions of the
 * indexes, with each write named. From the enqueue's put to the settling; session stamps apart.
 *
 *   npm run bench:cost
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { GetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { TABLES, type TableDeclaration, type TableName } from "../../infra/topology.ts";
import { startEngine } from "../support/engine.ts";
import { AUTO_WORKFLOW, createLoop, PLAIN_WORKFLOW, type Loop } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { billTable, orchestrationPerMillion, RUN } from "./bill.ts";
import { readUnits, rowBytes, writeUnits } from "./write-units.ts";

type Command = {
  constructor: { name: string };
  input: {
    TableName: TableName;
    Item?: Record<string, unknown>;
    Key?: Record<string, unknown>;
    ConsistentRead?: boolean;
  };
};
type Line = { name: string; row: number; indexes: number; bytes: number };

const say = (line: string) => void process.stdout.write(`${line}\n`);
const naming = new AsyncLocalStorage<string>();

/** A client that meters what goes through it. */
function metered(doc: DynamoDBDocumentClient) {
  const lines: Line[] = [];
  const meter = { on: false, reads: 0, readRequests: 0 };

  async function row(command: Command, key: Record<string, unknown>) {
    const get = new GetCommand({ TableName: command.input.TableName, Key: key, ConsistentRead: true });
    return (await doc.send(get)).Item;
  }

  async function send(command: Command): Promise<unknown> {
    const kind = command.constructor.name;
    const table: TableDeclaration | undefined = TABLES[command.input.TableName];
    if (!meter.on) return doc.send(command as never);
    if (kind !== "PutCommand" && kind !== "UpdateCommand") {
      const answer = (await doc.send(command as never)) as {
        Item?: Record<string, unknown>;
        Items?: Record<string, unknown>[];
      };
      const bytes = [answer.Item, ...(answer.Items ?? [])].reduce(
        (sum, item) => sum + (item ? rowBytes(item) : 0),
        0,
      );
      meter.reads += readUnits(bytes, command.input.ConsistentRead ?? false);
      meter.readRequests++;
      return answer;
    }
    const source = command.input.Key ?? command.input.Item ?? {};
    const key = {
      [table.key.name]: source[table.key.name],
      ...(table.sort && { [table.sort.name]: source[table.sort.name] }),
    };
    const before = await row(command, key);
    const answer = await doc.send(command as never);
    const after = (await row(command, key)) ?? {};
    const part = typeof source["part"] === "string" ? source["part"].split("#")[0] : "";
    const named = naming.getStore() ?? (kind === "PutCommand" ? "put" : "update");
    lines.push({
      name: `${command.input.TableName} ${part} ${named}`.replace(/ +/g, " "),
      ...writeUnits(table, before, after),
      bytes: rowBytes(after),
    });
    return answer;
  }

  const client = new Proxy(doc, {
    get: (target, key) => (key === "send" ? send : (Reflect.get(target, key) as unknown)),
  });
  return { client, lines, meter };
}

/** Store methods that take a named write run under its name, so that the meter can say which write it was. */
function named<S extends object>(store: S): S {
  return new Proxy(store, {
    get(target, key) {
      const method = Reflect.get(target, key) as unknown;
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        const write = args.find(
          (arg): arg is { name: string } =>
            typeof arg === "object" && arg !== null && "name" in arg && "when" in arg,
        );
        const call = () => (method as (...all: unknown[]) => unknown).apply(target, args);
        return write ? naming.run(write.name, call) : call();
      };
    },
  });
}

/** The standard sizes: four steps, payload 1 KB, model output and memo 1 KB, an instant model. */
const OUTPUT = `# Memo\n\n${"A sentence of the memo. ".repeat(42)}`;
const PAYLOAD = { topic: `Cost ${"x".repeat(1000)}` };

async function measure(title: string, command: string, approve: boolean): Promise<typeof RUN> {
  const engine = await startEngine();
  const { client, lines, meter } = metered(engine.doc);
  const loop: Loop = createLoop(
    { doc: client, tables: engine.tables },
    { model: scriptedModel(() => OUTPUT), wrap: named },
  );
  await loop.importFiles({ "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW });
  // The lane's row and the container's memory are there, as for every run but the first.
  await loop.enqueue(command, { topic: "warm" });
  await loop.settleDown();
  // Times differ between writes, as they do outside of tests: an index sorted by time moves its entry.
  loop.clock.advance(60_000);
  meter.on = true;
  const wakesBefore = loop.wakes();
  const rungBefore = loop.rung.length;
  const { runId } = await loop.enqueue(command, PAYLOAD);
  await loop.settleDown();
  if (approve) {
    const run = await loop.runs.readHead(runId);
    if (run?.status !== "suspended") throw new Error("expected a hold");
    loop.clock.advance(60_000);
    await loop.decide(run.gate.holdId, run.gate.sha256, "approve");
    await loop.deliver();
  }
  meter.on = false;
  const status = (await loop.runs.readHead(runId))?.status;
  if (status !== "done") throw new Error(`the run is ${status}`);
  say(`\n${title}`);
  for (const { name, row, indexes, bytes } of lines) {
    say(
      `  ${name.padEnd(34)} ${String(row + indexes).padStart(3)} write units (row ${row}, indexes ${indexes}; ${bytes} bytes)`,
    );
  }
  const total = lines.reduce((sum, { row, indexes }) => sum + row + indexes, 0);
  const rung = loop.rung.length - rungBefore;
  const wakes = loop.wakes() - wakesBefore;
  say(
    `  total: ${total} write units in ${lines.length} writes; ${meter.reads} read units in ${meter.readRequests} reads`,
  );
  say(`  SQS: ${wakes} wake and ${rung} run bells sent; each is received and deleted once more`);
  await engine.stop();
  return { ...RUN, writes: total, reads: meter.reads, sqs: 3 * (wakes + rung) };
}

await measure("A run without a hold", "/auto", false);
const held = await measure("A run with one hold, approved", "/plain", true);
say(
  `\nA million such runs: ${orchestrationPerMillion(held).toFixed(2)} USD (target: 40 or less)\n\n${billTable()}`,
);
for (const name of ["writes", "reads", "sqs"] as const) {
  if (held[name] === RUN[name]) continue;
  say(
    `CHANGED: the table has ${RUN[name]} ${name} a run, and ${held[name]} were measured: mend test/bench/bill.ts`,
  );
  process.exitCode = 1;
}
