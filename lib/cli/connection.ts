import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createClient, type Answer, type Call, type Client } from "../client/client.ts";
import type { Environment } from "./environment.ts";
import { EXIT, Failure, failureOf, usage } from "./failure.ts";

/** As whom: agents enqueue and read, a person decides. */
export type Role = "agent" | "steward";

type LocalKeys = { agentKey?: string; stewardKey?: string; internalKey?: string };

const START = "Start the host with `npm start`, or set MYTHOS_URL and MYTHOS_KEY.";

/** Where a local host keeps its address and its keys. */
export const dataFolderOf = (env: Environment): string =>
  resolve(env.data ?? join(import.meta.dirname, "../../.mythos"));

/** Finds the host in the environment, else in the data folder. @throws {Failure} when neither knows one */
export function connect(
  env: Environment,
  role: Role,
  { sessionId, aboutToWrite }: { sessionId: string | undefined; aboutToWrite: () => void },
): Api {
  const url = urlOf(env);
  return apiOf(
    createClient({ url, key: keyOf(env, role), sessionId: sessionId ?? env.session }),
    aboutToWrite,
  );
}

/** The key to sign in with. @throws {Failure} when there is none */
export function keyOf(env: Environment, role: Role): string {
  const keys = readLocalKeys(env);
  const key = env.key ?? (role === "steward" ? keys.stewardKey : keys.agentKey);
  if (!key) throw keyMissing(env);
  return key;
}

function keyMissing({ target, keyEnv }: Environment): Failure {
  if (target === undefined || keyEnv === undefined) {
    const hint =
      target === undefined ? START : `Name its variable as targets.${target}.keyEnv in config.json.`;
    return new Failure(EXIT.notAllowed, "there is no key to sign in with", hint);
  }
  return new Failure(EXIT.notAllowed, `target ${target}: ${keyEnv} is not set`, `Set ${keyEnv} to its key.`);
}

export function urlOf(env: Environment): string {
  if (env.target === "aws") {
    throw usage(
      "target aws is an account and no host",
      "Name its API in targets of config.json; mythos doctor --target aws shows it.",
    );
  }
  if (env.url !== undefined)
    return checkedUrl(env.url, env.target === undefined ? "MYTHOS_URL" : `the url of target ${env.target}`);
  const url = readText(join(dataFolderOf(env), "address"))?.trim();
  if (url) return url;
  throw new Failure(EXIT.failed, `no host is running on ${dataFolderOf(env)}`, START);
}

/** The value is not repeated where it may hold a password. */
function checkedUrl(said: string, whose: string): string {
  const url = URL.canParse(said) ? new URL(said) : undefined;
  if (url?.username || url?.password) {
    throw usage(
      `${whose} holds a user or a password`,
      "A key goes into a variable: MYTHOS_KEY, or a target's keyEnv.",
    );
  }
  if (url?.protocol === "http:" || url?.protocol === "https:") return said;
  throw usage(
    `${whose} is "${said}", which is no http or https address`,
    "Write it as http://127.0.0.1:4747.",
  );
}

/** The key of the route that runs a pass; a secret, so never a flag. */
export function internalKeyOf(env: Environment): string {
  const key = env.internalKey ?? readLocalKeys(env).internalKey;
  if (key) return key;
  throw new Failure(EXIT.notAllowed, "the key for passes is not known", "Set MYTHOS_INTERNAL_KEY.");
}

export function readLocalKeys(env: Environment): LocalKeys {
  // Keys of the data folder are this machine's: they are not sent to a host that is named in the environment.
  if (env.url && env.url !== readText(join(dataFolderOf(env), "address"))?.trim()) return {};
  const text = readText(join(dataFolderOf(env), "keys.json"));
  return text === undefined ? {} : (JSON.parse(text) as LocalKeys);
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** It takes a text, and stores nothing. */
const PREVIEW = "/api/workflows/preview";

/** A client whose refusals end the command, and that says where it writes. */
function apiOf(client: Client, aboutToWrite: () => void) {
  const ask = <T>(method: string, path: string, call?: Call): Promise<Answer<T>> => {
    if (method !== "GET" && path !== PREVIEW) aboutToWrite();
    return client.call<T>(method, path, call);
  };
  const orFail = <T>(answer: Answer<T>): T => {
    if (answer.ok) return answer.value;
    throw failureOf(answer.problem);
  };
  return {
    /** The answer itself, where a refusal is expected. */
    ask,
    get: async <T>(path: string): Promise<T> => orFail(await ask<T>("GET", path)),
    post: async <T>(path: string, call: Call = {}): Promise<T> => orFail(await ask<T>("POST", path, call)),
    delete: async <T>(path: string): Promise<T> => orFail(await ask<T>("DELETE", path)),
    put: async <T>(path: string, call: Call): Promise<T> => orFail(await ask<T>("PUT", path, call)),
    list: async <T>(path: string, limit: number): Promise<T[]> => orFail(await client.list<T>(path, limit)),
  };
}
export type Api = ReturnType<typeof apiOf>;
