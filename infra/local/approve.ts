import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { approveHold } from "./approve-hold.ts";
import { ADDRESS_FILE, dataDirFrom } from "./data/data-folder.ts";
import { KEYS_FILE, type LocalKeys } from "./data/keys.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);

// `npm run approve | head` stops reading; what was not read to its end is approved by --yes alone.
let isHeard = true;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  isHeard = false;
});

try {
  const { values, positionals } = parseArgs({
    options: { yes: { type: "boolean" } },
    allowPositionals: true,
  });
  const dataDir = dataDirFrom(process.env);
  const url = readText(join(dataDir, ADDRESS_FILE));
  const keysText = readText(join(dataDir, KEYS_FILE));
  if (!url || !keysText) throw new Error(`no host is running on ${dataDir}: start it with npm start`);
  const { stewardKey } = JSON.parse(keysText) as LocalKeys;
  const isApproved = await approveHold({
    url,
    stewardKey,
    holdId: positionals[0],
    say,
    confirm: values.yes ? async () => true : ask,
  });
  process.exitCode = isApproved ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function ask(question: string): Promise<boolean> {
  // The error of a write comes after the write.
  await new Promise((resolve) => setImmediate(resolve));
  if (!isHeard) throw new Error("not approved: what was shown was not read to its end");
  if (!process.stdin.isTTY)
    throw new Error("there is no terminal to ask on: say --yes to approve without being asked");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
