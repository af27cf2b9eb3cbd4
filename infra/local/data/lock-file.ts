import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Which process holds a data folder. Process numbers are used again, so the time of its start counts too. */
type Holder = { pid: number; startedAt: string };

/** Locks this process holds: its own number in a lock file means nothing else, for example in a container. */
const held = new Set<string>();

/**
 * Takes the lock of a data folder, also from a process that is gone. Returns how to release it.
 * @throws when a living process holds it; the message names the process
 */
export function takeLock(file: string): () => void {
  for (let attempt = 0; attempt < 2; attempt++) {
    const mine: Holder = { pid: process.pid, startedAt: startOf(process.pid) ?? "" };
    try {
      writeFileSync(file, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
      held.add(file);
      return () => {
        held.delete(file);
        rmSync(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = readHolder(file);
    if (holder && isAlive(file, holder)) {
      throw new Error(
        `process ${holder.pid} already uses the data folder ${file.replace(/[^/\\]+$/, "")}: ` +
          "stop it first, or set MYTHOS_DATA to another folder",
      );
    }
    removeStale(file, holder);
  }
  throw new Error(`another process is starting on the same data folder (${file})`);
}

/** Undefined for half a file: its writer died while it wrote. */
function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(file: string, { pid, startedAt }: Holder): boolean {
  if (pid === process.pid) return held.has(file);
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and is another account's.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  if (isZombie(pid)) return false;
  const actual = startOf(pid);
  return actual === undefined || startedAt === "" || actual === startedAt;
}

/** Moves the stale file away before it is removed, so that of two processes that saw it only one goes on. */
function removeStale(file: string, seen: Holder | undefined): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    // Another process was quicker; the next attempt meets its lock.
    return;
  }
  const moved = readHolder(aside);
  if (moved?.pid === seen?.pid && moved?.startedAt === seen?.startedAt) rmSync(aside);
  else renameSync(aside, file);
}

/** A process that has ended and that its parent has not asked for yet: it answers a signal and holds nothing. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    // No /proc on this system.
    return false;
  }
}

/** When a process started, in the system's own form; undefined when the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    // No /proc on this system.
  }
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}
