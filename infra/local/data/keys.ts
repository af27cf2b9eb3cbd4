import { userInfo } from "node:os";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { mintKey, verifyKey } from "../../../lib/api-keys/keys.ts";
import { peppersOf, type Peppers } from "../../../lib/api-keys/pepper.ts";
import { createKeyStore } from "../../../lib/api-keys/store.ts";
import { systemClock } from "../../../lib/core/clock.ts";
import { randomIds, randomSecret } from "../../../lib/core/ids.ts";
import { PEOPLE_ONLY, SCOPES } from "../../../lib/core/principal.ts";
import type { DataFolder } from "./data-folder.ts";

/** The keys of the local owner: one for agents, one for the person who decides, one for the cron route. */
export type LocalKeys = { agentKey: string; stewardKey: string; internalKey: string };

export const KEYS_FILE = "keys.json";
const PEPPER_FILE = "pepper";
const PREVIOUS_PEPPER_FILE = "pepper-previous";
const OWNER = "owner";

/** The key of the HMAC over API keys; made once, since another one makes every key unknown. */
export function ensurePepper(data: Pick<DataFolder, "read" | "write">): string {
  const known = data.read(PEPPER_FILE);
  if (known) return known;
  const pepper = randomSecret();
  data.write(PEPPER_FILE, pepper);
  return pepper;
}

/** The one before it, where somebody keeps it in a file beside it until keys are renewed. */
export const previousPepper = (data: Pick<DataFolder, "read">): string | undefined =>
  data.read(PREVIOUS_PEPPER_FILE)?.trim() || undefined;

/** The keys in `keys.json`, made when there are none that the table knows. */
export async function ensureKeys(
  data: DataFolder,
  deps: { doc: DynamoDBDocumentClient; controlTable: string; pepper: string; previous?: string | undefined },
): Promise<LocalKeys> {
  const keys = createKeyStore(deps.doc, { control: deps.controlTable });
  const peppers = peppersOf(deps.pepper, deps.previous);
  const check = { keys, peppers: async (): Promise<Peppers> => peppers };
  const known = readKeys(data);
  if (known && (await verifyKey(check, known.agentKey)) && (await verifyKey(check, known.stewardKey))) {
    return known;
  }
  const mint = { keys, peppers, clock: systemClock, ids: randomIds, secret: randomSecret };
  const person = { ownerUid: OWNER, uid: OWNER, username: accountName() };
  const [agent, steward] = await Promise.all([
    mintKey(mint, {
      ...person,
      kind: "agent",
      label: "agents on this machine",
      scopes: SCOPES.filter((scope) => !PEOPLE_ONLY.has(scope)),
    }),
    mintKey(mint, { ...person, kind: "human", label: "the person at this machine", scopes: SCOPES }),
  ]);
  const made = {
    agentKey: agent.key,
    stewardKey: steward.key,
    internalKey: known?.internalKey ?? randomSecret(),
  };
  // After the records: a file that names keys which the table does not know would lock the person out.
  data.write(KEYS_FILE, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

function readKeys(data: Pick<DataFolder, "read">): LocalKeys | undefined {
  const text = data.read(KEYS_FILE);
  return text === undefined ? undefined : (JSON.parse(text) as LocalKeys);
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as containers have it.
    return OWNER;
  }
}
