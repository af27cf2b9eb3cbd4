import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

export type Answer = { status: number; body: Record<string, unknown> };
type Key = "agentKey" | "stewardKey";
type Keys = Record<Key, string> & { internalKey: string };

const ROOT = join(import.meta.dirname, "../..");

/** The local host as a process of its own over a data folder of its own, to be killed and started again. */
export function createHostProcess({ config, every = "5s" }: { config: string; every?: string }) {
  const dataDir = mkdtempSync(join(tmpdir(), "mythos-kill-"));
  writeFileSync(join(dataDir, "config.json"), config);
  let child: ChildProcess | undefined;
  let url = "";
  let keys: Keys = { agentKey: "", stewardKey: "", internalKey: "" };

  /** undefined when the host is down at this moment: the caller asks again, as any client would. */
  async function call(method: string, path: string, key: Key, body?: unknown, headers = {}) {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${keys[key]}`,
          "x-internal-key": keys.internalKey,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      return { status: response.status, body: (await response.json()) as Answer["body"] };
    } catch {
      return undefined;
    }
  }

  return {
    call,

    /** Resolves with the time to `ready`, in ms. */
    async start(): Promise<number> {
      const startedAt = performance.now();
      const started = spawn(process.execPath, ["infra/local/main.ts"], {
        cwd: ROOT,
        env: { ...process.env, MYTHOS_DATA: dataDir, PORT: "0", MYTHOS_EVERY: every, KILL_MODEL_KEY: "none" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      child = started;
      const ready = Promise.withResolvers<string>();
      started.once("exit", () => ready.reject(new Error("the host ended before it was ready")));
      createInterface({ input: started.stdout }).on("line", (line) => {
        const address = /^ready (http:\S+)$/.exec(line)?.[1];
        if (address) ready.resolve(address);
      });
      url = await ready.promise;
      keys = JSON.parse(readFileSync(join(dataDir, "keys.json"), "utf8")) as Keys;
      return performance.now() - startedAt;
    },

    /** SIGKILL, and resolves when the process is gone. */
    async kill(): Promise<void> {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const dead = Promise.withResolvers<void>();
      child.once("exit", () => dead.resolve());
      child.kill("SIGKILL");
      await dead.promise;
    },

    /** Asks until there is an answer that is not the server's fault. */
    async answer(method: string, path: string, key: Key, body?: unknown, headers = {}): Promise<Answer> {
      for (;;) {
        const given = await call(method, path, key, body, headers);
        if (given && given.status < 500) return given;
        await wait(100);
      }
    },

    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
export type HostProcess = ReturnType<typeof createHostProcess>;
