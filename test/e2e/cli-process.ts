import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Host } from "../../infra/local/host.ts";

const MAIN = join(import.meta.dirname, "../../lib/cli/mythos.mjs");

export type Said = { code: number | null; out: string; err: string };

export type Ask = {
  env?: Record<string, string>;
  cwd?: string;
  /** What is typed or piped into it. */
  input?: string;
  /** Sent once the text stands on one of the two streams. */
  interrupt?: { signal: NodeJS.Signals; after: string };
  /** Stops reading the output after its first bytes, as `head` does. */
  hangUp?: boolean;
};

/** Runs the command line as a shell does: a process of its own, without a terminal. */
export function mythos(args: readonly string[], ask: Ask = {}): Promise<Said> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: ask.cwd,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...ask.env },
    });
    const said: Said = { code: null, out: "", err: "" };
    let isInterrupted = false;
    const heard = () => {
      const { interrupt } = ask;
      if (!interrupt || isInterrupted || !`${said.out}${said.err}`.includes(interrupt.after)) return;
      isInterrupted = true;
      child.kill(interrupt.signal);
    };
    child.stdout.on("data", (bytes: Buffer) => {
      said.out += bytes.toString();
      if (ask.hangUp) child.stdout.destroy();
      heard();
    });
    child.stderr.on("data", (bytes: Buffer) => {
      said.err += bytes.toString();
      heard();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ ...said, code }));
    child.stdin.on("error", () => {});
    child.stdin.end(ask.input ?? "");
  });
}

/** Where the host is and with which key; what the command line finds by itself in a data folder. */
export const asAgent = ({ url, keys }: Pick<Host, "url" | "keys">): Record<string, string> => ({
  MYTHOS_URL: url,
  MYTHOS_KEY: keys.agentKey,
  MYTHOS_INTERNAL_KEY: keys.internalKey,
});
export const asSteward = (host: Pick<Host, "url" | "keys">): Record<string, string> => ({
  ...asAgent(host),
  MYTHOS_KEY: host.keys.stewardKey,
});
