import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import { SCOPES } from "../../lib/core/principal.ts";
import { mythos } from "./cli-process.ts";
import { problemOf, send, type Request } from "./client.ts";
import { givenHost, writesOf } from "./test-host.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

type Made = { key: string | null; keyId: string; scopes: string[]; lastUsedAt: number | null };

let host: Host;
let stop: () => Promise<void>;
let steward: string;
let stranger: string;
beforeAll(async () => {
  const given = await givenHost([{ uid: "stranger", ownerUid: "stranger" }]);
  ({ host, stop } = given);
  steward = host.keys.stewardKey;
  stranger = given.keys[0]!;
});
afterAll(() => stop());

async function ask(key: string, at: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = "", path = ""] = at.split(" ");
  const request: Request = {
    method,
    path,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const answer = await send(host, request);
  return { ...answer, json: answer.text === "" ? undefined : JSON.parse(answer.text) };
}
const make = async (scopes: string[], more: object = {}, by = steward): Promise<Made> =>
  (await ask(by, "POST /api/keys", { label: "laptop", scopes, ...more })).json;

describe("keys", () => {
  test("a key that a person makes works at once, is in the list without its secret, and is gone when revoked", async () => {
    const { key, keyId } = await make(["runs:read"]);
    expect(key).toMatch(/^mk_key_/);
    expect((await ask(key!, "GET /api/runs")).status).toBe(200);
    const listed = await ask(steward, "GET /api/keys");
    const shown = listed.json.items.find((each: Made) => each.keyId === keyId);
    expect(shown).toMatchObject({ label: "laptop", kind: "agent", revokedAt: null });
    expect(shown.lastUsedAt).toBeGreaterThan(0);
    expect(listed.text).not.toContain(key!.slice(-43));
    expect(listed.text).not.toMatch(/"mac"|pepper/);
    const first = await ask(steward, `DELETE /api/keys/${keyId}`);
    const again = await ask(steward, `DELETE /api/keys/${keyId}`);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.json).toEqual(first.json);
    expect((await ask(key!, "GET /api/runs")).status).toBe(401);
  });

  test("who made a key and who revoked it is on record, and nothing of the key is", async () => {
    const { key, keyId } = await make(["runs:read"], { label: "on record" });
    await ask(steward, `DELETE /api/keys/${keyId}`);
    await ask(steward, `DELETE /api/keys/${keyId}`);
    await ask(stranger, `DELETE /api/keys/${keyId}`);
    const { json, text } = await ask(steward, "GET /api/audit");
    const acts = json.items.filter(({ ofKeyId }: { ofKeyId?: string }) => ofKeyId === keyId);
    const by = {
      by: expect.any(String),
      username: expect.any(String),
      keyId: expect.not.stringMatching(keyId),
    };
    expect(acts).toEqual([
      { act: "key_revoked", at: expect.any(Number), ofKeyId: keyId, ...by },
      { act: "key_made", at: expect.any(Number), ofKeyId: keyId, ...by },
    ]);
    expect(text).not.toContain(key!.slice(-43));
    expect(text).not.toContain("on record");
  });

  test("a key gives no more than its maker has, and an agent's key makes none", async () => {
    const some = SCOPES.filter((scope) => scope !== "memos:write");
    const lesser = (await make(some, { kind: "human" })).key!;
    const refused = await ask(lesser, "POST /api/keys", { label: "more", scopes: ["memos:write"] });
    expect(problemOf(refused)).toMatchObject({ status: 403, code: "scope_missing", scope: "memos:write" });
    for (const at of ["POST /api/keys", "GET /api/keys", "DELETE /api/keys/key_x"]) {
      const body = at.startsWith("POST") ? { label: "x", scopes: [] } : undefined;
      expect((await ask(host.keys.agentKey, at, body)).json).toMatchObject({
        status: 403,
        scope: "keys:admin",
      });
    }
  });

  test("another owner's key is in no list and answers as an unknown one", async () => {
    const { keyId } = await make([]);
    expect((await ask(stranger, "GET /api/keys")).text).not.toContain(keyId);
    expect((await ask(stranger, `DELETE /api/keys/${keyId}`)).json).toMatchObject({ code: "key_not_found" });
    expect((await ask(steward, `DELETE /api/keys/${keyId}`)).status).toBe(200);
  });

  test("a key revokes itself only when it is told to", async () => {
    const { key, keyId } = await make([...SCOPES], { kind: "human" });
    expect((await ask(key!, `DELETE /api/keys/${keyId}`)).json).toMatchObject({
      status: 409,
      code: "own_key",
    });
    expect((await ask(key!, "GET /api/keys")).status).toBe(200);
    expect((await ask(key!, `DELETE /api/keys/${keyId}?self=1`)).status).toBe(200);
    expect((await ask(key!, "GET /api/keys")).status).toBe(401);
  });

  test("F59: an agent's key that was just let in on one route is refused by the handler of another", async () => {
    const { key } = await make(SCOPES.filter((scope) => !["holds:decide", "keys:admin"].includes(scope)));
    expect((await ask(key!, "GET /api/runs")).status).toBe(200);
    const body = { verdict: "approve", sha256: `sha256:${"0".repeat(64)}` };
    const answer = await ask(key!, "POST /api/holds/hold_x/decision", body);
    expect(answer.json).toMatchObject({ status: 403, code: "scope_missing", scope: "holds:decide" });
  });

  test("F61: keys of no, one and ten thousand characters, and of more bytes than characters, are all 401 alike", async () => {
    const presented = [
      "",
      "x",
      "x".repeat(10_000),
      "é".repeat(steward.length),
      `${steward}x`,
      steward.slice(0, -1),
    ];
    const bodies = new Set<string>();
    for (const key of presented) {
      for (const headers of [{ authorization: `Bearer ${key}` }, { "x-api-key": key }]) {
        const answer = await send(host, {
          method: "GET",
          path: "/api/runs",
          headers: headers as Record<string, string>,
        });
        expect(answer.status).toBe(401);
        bodies.add(JSON.stringify({ ...JSON.parse(answer.text), requestId: "" }));
      }
    }
    expect(bodies.size).toBe(1);
  });

  test("reading with a key that was used in this hour writes nothing", async () => {
    await ask(steward, "GET /api/runs");
    const before = writesOf(host);
    await ask(steward, "GET /api/runs");
    expect(writesOf(host)).toEqual(before);
  });
});

describe("an Idempotency-Key", () => {
  const SESSION = { name: "twice", purpose: "Be made once" };
  const open = (key: string, body: unknown = SESSION, by = steward) =>
    ask(by, "POST /api/internal/sessions", body, { "Idempotency-Key": key });

  test("makes one session of two requests, and says that the second is a repeat", async () => {
    const first = await open("once");
    const again = await open("once");
    expect(first.status).toBe(201);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  test("is of its owner, its route and its body", async () => {
    const { json } = await open("mine");
    expect((await open("mine", SESSION, stranger)).json.sessionId).not.toBe(json.sessionId);
    const memo = await ask(
      steward,
      "POST /api/memos",
      { title: "x", body: "x" },
      { "idempotency-key": "mine" },
    );
    expect(memo.status).toBe(201);
    expect(problemOf(await open("mine", { ...SESSION, name: "other" }))).toMatchObject({
      status: 422,
      code: "idempotency_key_reused",
    });
  });

  test("makes one key of two requests, and shows it once", async () => {
    const body = { label: "once", scopes: [] };
    const first = await ask(steward, "POST /api/keys", body, {
      "idempotency-key": "a-key",
    });
    const again = await ask(steward, "POST /api/keys", body, { "idempotency-key": "a-key" });
    expect(again.json).toEqual({ ...first.json, key: null });
  });
});

describe("the command line", () => {
  const run = (args: readonly string[]) =>
    mythos(["keys", ...args], { env: { MYTHOS_URL: host.url, MYTHOS_KEY: steward } });

  test("prints the key alone, lists it and takes it back", async () => {
    const made = await run(["create", "nightly", "--scope", "runs:read", "memos:read"]);
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^mk_key_\w+_[\w-]{43}\n$/);
    const listed = await run(["list", "--json"]);
    const item = JSON.parse(listed.out).items.find((each: { label: string }) => each.label === "nightly");
    expect(item.scopes).toEqual(["memos:read", "runs:read"]);
    expect(listed.out).not.toContain(made.out.trim());
    const revoked = await run(["revoke", item.keyId, "--json"]);
    expect(JSON.parse(revoked.out).items[0].revokedAt).toBeGreaterThan(0);
    expect(await run(["create", "none"])).toMatchObject({ code: 2 });
  });
});
