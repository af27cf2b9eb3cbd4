import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { print, type CommandLine } from "../command-line.ts";
import { readText } from "../connection.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { flag, textOption } from "../options.ts";
import type { Given } from "../program.ts";

const NAME = "loop";
const SOURCE = join(import.meta.dirname, "../../../skills", NAME, "SKILL.md");

/** Puts the skill where an agent looks for skills. One that is there and the same is left; a changed one stays. */
export async function installSkill(cli: CommandLine, given: Given): Promise<void> {
  const folder = join(folderOf(given), NAME);
  const path = join(folder, "SKILL.md");
  const text = readFileSync(SOURCE, "utf8");
  const before = readText(path);
  const outcome = before === undefined ? "installed" : before === text ? "unchanged" : "replaced";
  if (outcome === "replaced" && !flag(given, "force")) {
    throw new Failure(EXIT.conflict, `${path} is another text than this one`, "Say --force to replace it.");
  }
  if (outcome !== "unchanged") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  }
  print(cli, { path, outcome }, () => [
    `${outcome === "unchanged" ? "Already there" : "Installed"}: ${path}`,
  ]);
}

export async function showSkill(cli: CommandLine): Promise<void> {
  cli.terminal.write(readFileSync(SOURCE, "utf8"));
}

function folderOf(given: Given): string {
  const to = textOption(given, "to");
  if (to !== undefined && flag(given, "user"))
    throw usage("--to and --user name two folders", "Say one of them.");
  if (flag(given, "user")) return join(homedir(), ".claude", "skills");
  return resolve(to ?? join(".claude", "skills"));
}
