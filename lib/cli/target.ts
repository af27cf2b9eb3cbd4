import { join } from "node:path";
import { dataFolderOf, readText } from "./connection.ts";
import type { Environment } from "./environment.ts";
import { EXIT, Failure, usage } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** The host that runs on this machine; it needs no line in config.json. */
const LOCAL = "local";

/** Not a host: the account that this shell has credentials for. */
export const AWS_TARGET = "aws";

/**
 * The environment as a named target has it: its address and its keys in place of those that are set. A key comes
 * from the variable that config.json names for this target, and from nowhere else: no other host is sent it. One
 * that is not set is missed when it is needed; a command without a host does without.
 * @throws {Failure} for a name that nobody gave
 */
export async function withTarget(
  env: Environment,
  named: string | undefined,
  variable: (name: string) => string | undefined,
): Promise<Environment> {
  const target = named ?? env.target;
  if (target === undefined) return env;
  const { url: _url, key: _key, internalKey: _internalKey, stewardKey: _stewardKey, ...rest } = env;
  const { targets } = await readConfig(env);
  const found = Object.hasOwn(targets, target) ? targets[target] : undefined;
  if (!found) {
    if (target === LOCAL) return { ...rest, target };
    // The keys stay: they are for the deployment that `doctor` finds there. Nothing else has an address to send them to.
    if (target === AWS_TARGET) return { ...env, target };
    const known = [...new Set([LOCAL, AWS_TARGET, ...Object.keys(targets)])].join(", ");
    throw usage(
      `there is no target "${target}"; there is ${known}`,
      `Add it to targets in ${configPath(env)}.`,
    );
  }
  const { url, keyEnv, internalKeyEnv } = found;
  const key = keyEnv === undefined ? undefined : variable(keyEnv);
  const internalKey = internalKeyEnv === undefined ? undefined : variable(internalKeyEnv);
  return {
    ...rest,
    target,
    url,
    ...(keyEnv !== undefined && { keyEnv }),
    ...(key !== undefined && { key }),
    ...(internalKey !== undefined && { internalKey }),
  };
}

const configPath = (env: Environment): string => env.config ?? join(dataFolderOf(env), "config.json");

async function readConfig(env: Environment) {
  // Only a command with a target pays for the schema.
  const { parseConfig } = await import("../model/config.ts");
  try {
    return parseConfig(readText(configPath(env)) ?? "");
  } catch (error) {
    throw new Failure(EXIT.failed, error instanceof Error ? error.message : "", `Mend ${configPath(env)}.`);
  }
}

/** Which host is about to be written to; one that is not on this machine cannot be overlooked. */
export function targetLine({ target }: Environment, url: string, tones: Terminal["tones"]): string {
  const { hostname } = new URL(url);
  const isHere = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  const said = `target ${target ?? (isHere ? LOCAL : hostname)} ${url}`;
  return isHere ? tones.dim(said) : tones.bold(tones.magenta(said));
}
