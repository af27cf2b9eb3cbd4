import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { takeLock } from "./lock-file.ts";

export type DataFolder = {
  path: string;
  /** The process before this one did not close its engines. */
  afterCrash: boolean;
  /** Content of a file in it; undefined when there is none. */
  read(name: string): string | undefined;
  /** Puts a whole file in place, readable for this account only; it is on disk when this returns. */
  write(name: string, content: string): void;
  remove(name: string): void;
  /** After the engines are closed. */
  close(): void;
};

/** Holds the address of the running host, for the scripts beside it. */
export const ADDRESS_FILE = "address";

/** There while a process runs on the folder; found at a start, it tells of a process that was killed. */
const RUNNING = "running";

/** Where a host keeps everything, as the environment says: in the project's folder when it says nothing. */
export const dataDirFrom = (env: Readonly<Record<string, string | undefined>>): string =>
  resolve(env["MYTHOS_DATA"] || join(import.meta.dirname, "../../../.mythos"));

/** Opens a data folder for this process alone; makes it when it is not there. */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const release = takeLock(join(path, "lock"));
  const data: DataFolder = {
    path,
    afterCrash: existsSync(join(path, RUNNING)),
    read(name) {
      try {
        return readFileSync(join(path, name), "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    write(name, content) {
      const next = join(path, `${name}.next`);
      const file = openSync(next, "w", 0o600);
      writeSync(file, content);
      fsyncSync(file);
      closeSync(file);
      renameSync(next, join(path, name));
    },
    remove: (name) => rmSync(join(path, name), { force: true }),
    close() {
      data.remove(RUNNING);
      release();
    },
  };
  data.write(RUNNING, String(process.pid));
  return data;
}
