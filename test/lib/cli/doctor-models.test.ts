import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { modelFindings } from "../../../lib/cli/ops/doctor-models.ts";
import { testClock } from "../../support/clock.ts";
import { PROTOCOLS, startModelStub, type ModelStub } from "../../support/model-stub.ts";
import { STUB_KEY, STUB_KEY_ENV, stubConfig, stubConfigOfAll } from "../../support/stub-config.ts";

let stub: ModelStub;
beforeAll(async () => {
  stub = await startModelStub();
});
afterAll(() => stub.stop());
beforeEach(() => stub.reset());

const clock = testClock();
const check = (text: string | undefined, given: { keys?: boolean; probe?: boolean } = {}) =>
  modelFindings(
    { path: "config.json", text, keyOf: () => (given.keys === false ? undefined : STUB_KEY), clock },
    { isProbing: given.probe ?? false },
  );

describe("without a probe", () => {
  test("no config, and one whose servers, keys and prices are there, are well, and nothing is asked", async () => {
    expect(await check(undefined)).toMatchObject([{ state: "ok" }]);
    expect(await check("{}")).toMatchObject([{ state: "ok" }]);
    const findings = await check(stubConfigOfAll(stub));
    expect(findings.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    expect(stub.requests).toEqual([]);
  });

  test.each([
    ["no JSON", "{", "config.json is not JSON"],
    [
      "a provider that nobody knows",
      '{"models":{"default":{"provider":"acme","model":"m"}}}',
      "models.default",
    ],
    ["a field that nobody knows", '{"model":{}}', "model is not a known field"],
  ])("%s fails as the start of the host does", async (_name, text, said) => {
    const [finding, ...rest] = await check(text);
    expect(rest).toEqual([]);
    expect(finding).toMatchObject({
      state: "fail",
      found: expect.stringContaining(said) as string,
      fix: expect.stringContaining("config.json") as string,
    });
  });

  test.each(PROTOCOLS)("a key of %s that is not set fails, and names its variable", async (protocol) => {
    const env = STUB_KEY_ENV[protocol];
    expect(await check(stubConfig(stub, protocol), { keys: false })).toMatchObject([
      { state: "fail", found: expect.stringContaining(`${env} is not set`) as string },
    ]);
  });

  test("a server that is not there fails, and nothing of a password in its address is said", async () => {
    const text = stubConfig(stub, "openai-compatible", { baseUrl: "http://me:hunter2@127.0.0.1:9/v1" });
    const [finding] = await check(text);
    expect(finding).toMatchObject({
      state: "fail",
      found: expect.stringContaining("http://127.0.0.1:9/v1 cannot be reached (") as string,
      fix: expect.stringContaining("models.default.baseUrl") as string,
    });
    expect(JSON.stringify(finding)).not.toContain("hunter2");
  });

  test("a model without a price deserves a look", async () => {
    const findings = await check(stubConfig(stub, "anthropic", { model: "unpriced-1" }));
    expect(findings).toMatchObject([
      { state: "warn", fix: expect.stringContaining('prices["unpriced-1"]') as string },
    ]);
  });
});

describe("a probe", () => {
  test("asks each model once, for one token, with its key", async () => {
    stub.serves(() => ({ text: "ok", stop: "length" }));
    const findings = await check(stubConfigOfAll(stub), { probe: true });
    expect(findings.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    expect(stub.requests.map(({ protocol }) => protocol).toSorted()).toEqual([...PROTOCOLS].toSorted());
    for (const { text, headers } of stub.requests) {
      expect(text).toMatch(/"max_?tokens":1\b/i);
      expect(JSON.stringify(headers)).toContain(STUB_KEY);
    }
  });

  test.each(PROTOCOLS)(
    "%s: a refused key fails with what to do, and never with the key",
    async (protocol) => {
      const body = JSON.stringify({ error: { message: `bad key ${STUB_KEY}`, type: "auth" } });
      stub.serves(() => ({ status: 401, body }));
      const findings = await check(stubConfig(stub, protocol), { probe: true });
      expect(findings).toMatchObject([
        { state: "fail", found: expect.stringContaining(STUB_KEY_ENV[protocol]) as string },
      ]);
      expect(JSON.stringify(findings)).not.toContain(STUB_KEY);
    },
  );

  test("being asked to wait is no failure", async () => {
    stub.serves(() => ({ status: 429, headers: { "retry-after": "3" }, body: "{}" }));
    expect(await check(stubConfig(stub, "anthropic"), { probe: true })).toMatchObject([{ state: "warn" }]);
  });

  test("is not made with a key that is not set", async () => {
    await check(stubConfigOfAll(stub), { probe: true, keys: false });
    expect(stub.requests).toEqual([]);
  });
});
