import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from "node:fs";
import { join } from "node:path";

/** Beyond this a log begins anew at the next start, and the one before it is kept. */
const LOG_MAX_BYTES = 5 * 1024 * 1024;

export type FunctionLog = { append(name: string, text: string): void; close(): Promise<void> };

/** What each function prints, in a file of its own. */
export function createFunctionLog(folder: string): FunctionLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const streams = new Map<string, WriteStream>();
  const open = (name: string): WriteStream => {
    const path = join(folder, `${name}.log`);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LOG_MAX_BYTES) renameSync(path, `${path}.1`);
    const stream = createWriteStream(path, { flags: "a", mode: 0o600 });
    // A full disk must not end the host for the sake of a log.
    stream.on("error", () => {});
    streams.set(name, stream);
    return stream;
  };
  return {
    append: (name, text) => void (streams.get(name) ?? open(name)).write(text),
    async close() {
      await Promise.all([...streams.values()].map((stream) => new Promise<void>((done) => stream.end(done))));
    },
  };
}
