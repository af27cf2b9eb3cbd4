import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, expect, test } from "vitest";
import { mintKey, verifyKey } from "../../../lib/api-keys/keys.ts";
import { peppersOf } from "../../../lib/api-keys/pepper.ts";
import { createKeyStore } from "../../../lib/api-keys/store.ts";
import type { KeyKind } from "../../../lib/api-keys/key-record.ts";
import { stampUse } from "../../../lib/api-keys/last-use.ts";
import { HOUR_MS } from "../../../lib/core/duration.ts";
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
const peppers = peppersOf("pepper");
const deps = { keys, peppers: async () => peppers };
const minting = { keys, peppers, clock, ids: countingIds(), secret: randomSecret };

const mint = (kind: KeyKind, scopes: readonly Scope[], ownerUid = "ana") =>
  mintKey(minting, {
    ownerUid,
    uid: ownerUid,
    username: `${ownerUid}@example`,
    kind,
    label: "laptop",
    scopes,
  });

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
  expect(await verifyKey({ keys, peppers: async () => peppersOf("other") }, key)).toBeUndefined();
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
  const { items, next } = await keys.keysOf("carl", { limit: 10, after: null });
  expect(items.map(({ keyId }) => keyId)).toEqual([mine.record.keyId]);
  expect(next).toBeNull();
});

test("keys of the pepper before verify under it, new ones are made under the current one", async () => {
  const old = await mint("agent", ["runs:read"]);
  const rotated = peppersOf("newer", "pepper");
  const after = { keys, peppers: async () => rotated };
  expect(await verifyKey(after, old.key)).toMatchObject({ keyId: old.record.keyId });
  const { key, record } = await mintKey(
    { ...minting, peppers: rotated },
    { ownerUid: "ana", uid: "ana", username: "ana", kind: "agent", label: "new", scopes: [] },
  );
  expect((await keys.readKey(record.keyId))?.pepperId).toBe(rotated.current.pepperId);
  expect((await keys.readKey(old.record.keyId))?.pepperId).toBe(rotated.previous?.pepperId);
  const done = { keys, peppers: async () => peppersOf("newer") };
  expect(await verifyKey(done, key)).toBeDefined();
  expect(await verifyKey(done, old.key)).toBeUndefined();
});

test("a record that does not say its pepper verifies under either, and one that names an unknown one under none", async () => {
  const { key, record } = await mint("agent", []);
  const { pepperId: _, ...stored } = (await keys.readKey(record.keyId))!;
  const pk = `KEY#${record.keyId}`;
  const put = (more: object) =>
    engine.doc.send(
      new PutCommand({ TableName: engine.tables.control, Item: { ...stored, pk, sk: pk, ...more } }),
    );
  await put({});
  for (const each of [peppersOf("pepper"), peppersOf("newer", "pepper")]) {
    expect(await verifyKey({ keys, peppers: async () => each }, key)).toBeDefined();
  }
  await put({ pepperId: "0000000000000000" });
  expect(await verifyKey(deps, key)).toBeUndefined();
});

test("the id of a pepper is no part of it and says nothing of another one", () => {
  const { current, previous } = peppersOf("one", "two");
  expect(current.pepperId).toMatch(/^[0-9a-f]{16}$/);
  expect(current.pepperId).not.toBe(previous?.pepperId);
  expect(peppersOf("one", "one")).toEqual({ current });
});

test("a list of keys goes on where its page ended", async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => mint("agent", [], "erna")));
  const first = await keys.keysOf("erna", { limit: 3, after: null });
  const rest = await keys.keysOf("erna", { limit: 3, after: first.next });
  const ids = [...first.items, ...rest.items].map(({ keyId }) => keyId);
  expect(ids.toSorted()).toEqual(made.map(({ record }) => record.keyId).toSorted());
  expect(rest.next).toBeNull();
});

test("the last use is written at most once an hour, by however many see it", async () => {
  const { record } = await mint("agent", []);
  const read = async () => (await keys.readKey(record.keyId))!;
  const unused = await read();
  expect(unused.lastUsedAt).toBeNull();
  await Promise.all([stampUse({ keys, clock }, unused), stampUse({ keys, clock }, unused)]);
  const first = clock.now();
  clock.advance(HOUR_MS - 1);
  await stampUse({ keys, clock }, await read());
  // A container that read the record before the first use.
  await stampUse({ keys, clock }, unused);
  expect((await read()).lastUsedAt).toBe(first);
  clock.advance(1);
  await stampUse({ keys, clock }, await read());
  expect((await read()).lastUsedAt).toBe(first + HOUR_MS);
  expect(await keys.stampUse("key_unknown", clock.now(), 0)).toBe(false);
});
