import { readFileSync } from "node:fs";
import { keyEnvNames, parseConfig } from "../../../lib/model/config.ts";
import type { DataFolder } from "./data-folder.ts";

/**
 * config.json with the keys that it names, taken from an environment; a config that is wrong says so before anything
 * starts.
 */
export function readModelConfig(
  data: Pick<DataFolder, "read">,
  given: { configFile?: string; secrets?: Readonly<Record<string, string | undefined>> },
): { configJson: string; secrets: Record<string, string>; missing: string[] } {
  const configJson =
    given.configFile === undefined
      ? (data.read("config.json") ?? "{}")
      : readFileSync(given.configFile, "utf8");
  const secrets: Record<string, string> = {};
  const missing: string[] = [];
  for (const name of keyEnvNames(parseConfig(configJson))) {
    const value = given.secrets?.[name];
    if (value) secrets[name] = value;
    else missing.push(name);
  }
  return { configJson, secrets, missing };
}
