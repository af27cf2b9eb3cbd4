import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  keyEnvNames,
  modelConfigOf,
  modelNames,
  parseConfig,
  pricedModels,
  priceOf,
} from "../../../lib/model/config.ts";

const config = parseConfig(
  JSON.stringify({
    models: {
      default: { provider: "bedrock", model: "us.anthropic.one", region: "us-east-1" },
      careful: { provider: "anthropic", model: "claude-two" },
      local: {
        provider: "openai-compatible",
        baseUrl: "http://127.0.0.1:11434/v1",
        model: "three",
        price: "free",
      },
    },
    prices: { "us.anthropic.one": { input: 3, output: 15, asOf: "2026-05-01" } },
  }),
);

test.each(["", " ", "{}"])("is complete for the text %j", (text) => {
  expect(parseConfig(text)).toEqual({
    models: {},
    prices: {},
    targets: {},
    limits: {},
    fetch: { hosts: [] },
  });
});

test.each([
  ["{ not", "is not JSON"],
  ["[]", "must be an object"],
  ['{"modles":{}}', "modles is not a known field"],
  ['{"models":{"large":{"provider":"nobody"}}}', "models.large.provider must be offline, bedrock,"],
  ['{"models":{"a":{"provider":"anthropic"}}}', "models.a.model must be a text"],
  [
    '{"models":{"a":{"provider":"openai-compatible","model":"m","baseUrl":"ftp://x"}}}',
    "models.a.baseUrl must be an http or https address",
  ],
  [
    '{"models":{"a":{"provider":"bedrock","model":"m","window":0,"json":"xml","price":"cheap"}}}',
    "models.a.window must be above 0; models.a.price must be free; models.a.json must be native or tool or prompt",
  ],
  [
    '{"prices":{"x":{"input":-1,"output":"3","asOf":"May"}}}',
    'prices.x.input must be at least 0; prices.x.output must be a number; prices.x.asOf must be a day such as "2026-05-01"',
  ],
  ['{"targets":{"prod":{}}}', "targets.prod.url must be a text"],
  ['{"targets":{"prod":{"url":"https://x","key":"k"}}}', "targets.prod.key is not a known field"],
  ['{"limits":{"libraryUsdPerDay":0}}', "limits.libraryUsdPerDay must be above 0"],
  ['{"fetch":{"hosts":["https://x"]}}', "fetch.hosts.0 must be a host's name alone, such as example.org"],
])("says of %s that it %s", (text, message) => {
  expect(() => parseConfig(text)).toThrow(message);
});

test.each(["keyEnv", "apiKey"])("does not repeat a key that stands in %s", (field) => {
  const text = JSON.stringify({
    models: { a: { provider: "anthropic", model: "m", [field]: "sk-secret-1" } },
  });
  expect(() => parseConfig(text)).toThrow(`models.a.${field}`);
  expect(() => parseConfig(text)).not.toThrow("sk-secret-1");
});

test("small and large are default until they are configured, and default is the offline writer", () => {
  expect(modelConfigOf(config, "large")).toMatchObject({ model: "us.anthropic.one" });
  expect(modelConfigOf(parseConfig(""), "small")).toEqual({ provider: "offline" });
});

test("takes a model's full id, and no name that the config does not hold", () => {
  expect(modelConfigOf(config, "claude-two")).toMatchObject({ provider: "anthropic" });
  expect(modelConfigOf(config, "claude-three")).toBeUndefined();
  expect(modelConfigOf(config, "constructor")).toBeUndefined();
});

test("a price is by model id, free where the server is yours, and null where nobody said", () => {
  const priceOfName = (name: string) => priceOf(config, modelConfigOf(config, name)!);
  expect(priceOfName("default")).toMatchObject({ input: 3, output: 15 });
  expect(priceOfName("local")).toBe("free");
  expect(priceOfName("careful")).toBeNull();
  expect(modelNames(config).filter((name) => !pricedModels(config).includes(name))).toEqual([
    "careful",
    "claude-two",
  ]);
});

test("names the variables that hold keys: those that stand there, and Anthropic's usual one", () => {
  expect(keyEnvNames(config)).toEqual(["ANTHROPIC_API_KEY"]);
});

test("the config that the README shows is one, and has what the README says of it", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");
  const section = readme.slice(readme.indexOf("## Use a real model"));
  const shown = parseConfig(/^```json\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? "none");
  expect(Object.keys(shown.models)).toEqual(["default", "small", "large"]);
  expect(pricedModels(shown)).toEqual(["small", "default", "claude-sonnet-4-5", "llama3.2"]);
});
