import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dataDirFrom, openDataFolder } from "../../../infra/local/data/data-folder.ts";

let folder = "";
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "data-")), "data");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

/** Another process that holds the folder until it is killed. */
async function givenHolder() {
  const script = `
    const { openDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, "../../../infra/local/data/data-folder.ts"))});
    openDataFolder(${JSON.stringify(folder)});
    process.stdout.write("open");
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script]);
  await once(holder.stdout, "data");
  return {
    pid: holder.pid,
    async kill() {
      holder.kill("SIGKILL");
      await once(holder, "exit");
    },
  };
}

test("a folder that another process holds is refused with that process's number", async () => {
  const holder = await givenHolder();
  expect(() => openDataFolder(folder)).toThrow(
    `process ${holder.pid} already uses the data folder ${folder}`,
  );
  await holder.kill();
});

test("the lock of a killed process is taken over, and the crash is noticed", async () => {
  const holder = await givenHolder();
  await holder.kill();
  const data = openDataFolder(folder);
  expect(data.afterCrash).toBe(true);
  data.close();
  const next = openDataFolder(folder);
  expect(next.afterCrash).toBe(false);
  next.close();
});

test("a lock is stale when its process number now belongs to a younger process", () => {
  openDataFolder(folder).close();
  writeFileSync(join(folder, "lock"), JSON.stringify({ pid: process.ppid, startedAt: "long ago" }));
  const data = openDataFolder(folder);
  expect(JSON.parse(readFileSync(join(folder, "lock"), "utf8"))).toMatchObject({ pid: process.pid });
  data.close();
});

test.each(["", "{", '{"pid":999999999,"startedAt":"1"}'])("a lock file with %j is taken over", (content) => {
  openDataFolder(folder).close();
  writeFileSync(join(folder, "lock"), content);
  const data = openDataFolder(folder);
  expect(JSON.parse(readFileSync(join(folder, "lock"), "utf8"))).toMatchObject({ pid: process.pid });
  data.close();
  expect(existsSync(join(folder, "lock"))).toBe(false);
});

test("this process cannot open a folder twice either", () => {
  const data = openDataFolder(folder);
  expect(() => openDataFolder(folder)).toThrow(`process ${process.pid} already uses`);
  data.close();
  openDataFolder(folder).close();
});

test("files are for this account only", () => {
  const data = openDataFolder(folder);
  expect(data.read("secret")).toBeUndefined();
  data.write("secret", "word");
  expect(data.read("secret")).toBe("word");
  expect(statSync(join(folder, "secret")).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  data.close();
});

test("MYTHOS_DATA names the folder", () => {
  expect(dataDirFrom({ MYTHOS_DATA: "/somewhere/else" })).toBe("/somewhere/else");
  expect(dataDirFrom({})).toBe(join(import.meta.dirname, "../../../.mythos"));
});
