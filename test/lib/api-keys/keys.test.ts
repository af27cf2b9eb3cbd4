import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, expect, test } from "vitest";
import { mintKey, verifyKey } from "../../../lib/api-keys/keys.ts";
import { createKeyStore } from "../../../lib/api-keys/store.ts";
import type { KeyKind } from "../../../lib/api-keys/key-record.ts";
import { hasCode } from "../../../lib/core/errors.ts";
import { randomSecret } from "../../../lib/core/ids.ts";
import { SCOPES, type Scope } from "../../../lib/core/principal.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { countingIds } from "../../support/ids.ts";

const engine = await startEngine();
afterAll(() => engine.stop());
const keys = createKeyStore(engine.doc, engine.tables);
const clock = testClock();
const deps = { keys, pepper: "pepper", clock, ids: countingIds(), secret: randomSecret };

const mint = (kind: KeyKind, scopes: readonly Scope[], ownerUid = "ana") =>
  mintKey(deps, { ownerUid, uid: ownerUid, username: `${ownerUid}@example`, kind, label: "laptop", scopes });

test("a minted key stands for its agent with the scopes it was given", async () => {
  const { key, record } = await mint("agent", ["runs:read", "memos:read"]);
  expect(key).toMatch(/^mk_key_\d{4}_[\w-]{43}$/);
  expect(await verifyKey(deps, key)).toEqual({
    principalId: `agent:${record.keyId}`,
    kind: "agent",
    ownerUid: "ana",
    uid: "ana",
    username: "ana@example",
    keyId: record.keyId,
    scopes: ["memos:read", "runs:read"],
  });
});

test("a person's key may decide and stands for the person", async () => {
  const { key } = await mint("human", SCOPES);
  expect(await verifyKey(deps, key)).toMatchObject({ principalId: "human:ana", scopes: SCOPES });
});

test("neither the key nor its secret is stored or shown again", async () => {
  const { key, record } = await mint("agent", []);
  const secret = key.slice(-43);
  expect(JSON.stringify(await keys.readKey(record.keyId))).not.toContain(secret);
  expect(record).not.toHaveProperty("mac");
});

test("an agent's key cannot be minted with a people's scope", async () => {
  const refused = await mint("agent", ["runs:read", "holds:decide"]).catch((error: unknown) => error);
  expect(hasCode(refused, "invalid_request")).toBe(true);
});

test("an agent's record that says it may decide still cannot", async () => {
  const { key, record } = await mint("agent", ["runs:read"]);
  const stored = await keys.readKey(record.keyId);
  const pk = `KEY#${record.keyId}`;
  const forged = { ...stored, pk, sk: pk, scopes: ["runs:read", "holds:decide", "keys:admin", "no:such"] };
  await engine.doc.send(new PutCommand({ TableName: engine.tables.control, Item: forged }));
  expect((await verifyKey(deps, key))?.scopes).toEqual(["runs:read"]);
});

test("garbage of any length is no key and never an error", async () => {
  const { key } = await mint("agent", []);
  const presented = [
    "",
    "m",
    "mk_",
    "x".repeat(10_000),
    `mk_key_0001_${"x".repeat(10_000)}`,
    key.slice(0, -1),
    `${key}x`,
    `${key} `,
    key.slice(0, -1) + "é",
    "€".repeat(key.length),
    "\u{1f511}".repeat(key.length / 2),
    "\ud800".repeat(key.length),
    key.toUpperCase(),
    key.replace("mk_", "mk-"),
    `mk_KEY#_${"a".repeat(43)}`,
    `mk_key_9999_${"a".repeat(43)}`,
    "\u0000",
  ];
  for (const one of presented) expect(await verifyKey(deps, one)).toBeUndefined();
});

test("a key of one id with the secret of another is no key", async () => {
  const [a, b] = [await mint("agent", []), await mint("agent", [])];
  const crossed = a.key.slice(0, -43) + b.key.slice(-43);
  expect(await verifyKey(deps, crossed)).toBeUndefined();
});

test("a record whose digest is damaged lets nobody in", async () => {
  const { key, record } = await mint("agent", []);
  const stored = await keys.readKey(record.keyId);
  for (const mac of ["", "zz", "00", "0".repeat(64)]) {
    const pk = `KEY#${record.keyId}`;
    await engine.doc.send(
      new PutCommand({ TableName: engine.tables.control, Item: { ...stored, pk, sk: pk, mac } }),
    );
    expect(await verifyKey(deps, key)).toBeUndefined();
  }
});

test("another pepper makes every key unknown", async () => {
  const { key } = await mint("agent", []);
  expect(await verifyKey({ keys, pepper: "other" }, key)).toBeUndefined();
});

test("a revoked key is no key from then on, and only its owner revokes it", async () => {
  const { key, record } = await mint("agent", []);
  expect(await keys.revokeKey("bob", record.keyId, clock.now())).toBe(false);
  expect(await verifyKey(deps, key)).toBeDefined();
  expect(await keys.revokeKey("ana", record.keyId, clock.now())).toBe(true);
  expect(await keys.revokeKey("ana", record.keyId, clock.now() + 5)).toBe(false);
  expect(await verifyKey(deps, key)).toBeUndefined();
  expect((await keys.readKey(record.keyId))?.revokedAt).toBe(clock.now());
});

test("an owner's list has that owner's keys only", async () => {
  const mine = await mint("agent", [], "carl");
  await mint("agent", [], "dora");
  expect((await keys.keysOf("carl")).map(({ keyId }) => keyId)).toEqual([mine.record.keyId]);
});
