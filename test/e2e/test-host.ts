import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { openDataFolder } from "../../infra/local/data/data-folder.ts";
import { ensurePepper } from "../../infra/local/data/keys.ts";
import { startEngines } from "../../infra/local/engine/engines.ts";
import { createClients, ensureResources } from "../../infra/local/engine/resources.ts";
import { startHost, type Host } from "../../infra/local/host.ts";
import type { TableName } from "../../infra/topology.ts";
import { mintKey } from "../../lib/api-keys/keys.ts";
import { peppersOf } from "../../lib/api-keys/pepper.ts";
import { createKeyStore } from "../../lib/api-keys/store.ts";
import { systemClock } from "../../lib/core/clock.ts";
import { randomIds, randomSecret } from "../../lib/core/ids.ts";
import { SCOPES } from "../../lib/core/principal.ts";
import { eventually } from "./client.ts";

/** A person with a key, beside the one whose keys every host makes. */
export type Person = { uid: string; ownerUid: string };

/** The owner of the host's own keys. */
export const OWNER = "owner";

const givenFolder = (): string => mkdtempSync(join(tmpdir(), "loops-"));

/** The tables of a folder that no host uses yet, for what a host's clients could not have written today. */
export type Before = (store: {
  doc: DynamoDBDocumentClient;
  tables: Record<TableName, string>;
}) => Promise<void>;

/** Keys of these people, written as the product writes them, and what was there before. */
async function prepare(
  dataDir: string,
  people: readonly Person[],
  before: Before | undefined,
): Promise<string[]> {
  const data = openDataFolder(dataDir);
  const engines = await startEngines({
    dataDir: data.path,
    afterCrash: false,
    onFailure(error) {
      throw error;
    },
  });
  const clients = createClients(engines.access);
  try {
    const { tables } = await ensureResources(clients, engines.access);
    const doc = DynamoDBDocumentClient.from(clients.dynamodb);
    await before?.({ doc, tables });
    const keys = createKeyStore(doc, { control: tables.control });
    const peppers = peppersOf(ensurePepper(data));
    const deps = { keys, peppers, clock: systemClock, ids: randomIds, secret: randomSecret };
    const minted = await Promise.all(
      people.map(({ uid, ownerUid }) =>
        mintKey(deps, { ownerUid, uid, username: uid, kind: "human", label: uid, scopes: SCOPES }),
      ),
    );
    return minted.map(({ key }) => key);
  } finally {
    Object.values(clients).forEach((client) => client.destroy());
    await engines.stop();
    data.close();
  }
}

/** A host on a folder of its own, with which it goes; further people have keys in their order. */
export async function givenHost(
  people: readonly Person[] = [],
  before?: Before,
): Promise<{
  host: Host;
  keys: string[];
  stop(): Promise<void>;
}> {
  const dataDir = givenFolder();
  const keys = people.length > 0 || before ? await prepare(dataDir, people, before) : [];
  // Rounds are what saves a lost doorbell; none is lost here, so a test that needs one would be slow.
  const host = await startHost({ dataDir, port: 0, quiet: true });
  return {
    host,
    keys,
    async stop() {
      await host.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** A folder on which hosts start one after the other. */
export function givenFolderForHosts() {
  const dataDir = givenFolder();
  let running: Host | undefined;
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    async start(options: { firstStart?: boolean } = {}): Promise<Host> {
      await stop();
      running = await startHost({ dataDir, port: 0, quiet: true, ...options });
      return running;
    },
    async remove() {
      await stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

const WRITES: Record<string, readonly string[]> = {
  dynamodb: ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
  sqs: ["SendMessage", "SendMessageBatch"],
};

/** How often each writing operation was called on the engines so far. */
export function writesOf(host: Host): Record<string, number> {
  const counted = Object.entries(host.counts()).flatMap(([engine, counts]) =>
    Object.entries(counts).filter(([operation]) => WRITES[engine]?.includes(operation)),
  );
  return Object.fromEntries(counted);
}

/** Readings one after the other without a write between them: the passes behind the last work are over. */
const QUIET_READINGS = 30;

/** Waits until nothing is written any more. */
export async function untilQuiet(host: Host): Promise<void> {
  let last = "";
  let same = 0;
  await eventually(async () => {
    const now = JSON.stringify(writesOf(host));
    same = now === last ? same + 1 : 0;
    last = now;
    if (same < QUIET_READINGS) throw new Error(`still writing: ${now}`);
  });
}
