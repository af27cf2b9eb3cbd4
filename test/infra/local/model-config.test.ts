import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readModelConfig } from "../../../infra/local/data/model-config.ts";

const config = JSON.stringify({
  models: {
    default: { provider: "anthropic", model: "claude-one" },
    large: { provider: "bedrock", model: "us.two", region: "us-east-1", keyEnv: "AWS_BEARER_TOKEN_BEDROCK" },
    mine: { provider: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1", model: "three" },
  },
});
const folder = (text?: string) => ({ read: () => text });

test("takes the keys that the config names and no others", () => {
  const secrets = { ANTHROPIC_API_KEY: "a", AWS_BEARER_TOKEN_BEDROCK: undefined, HOME: "/home/ana" };
  expect(readModelConfig(folder(config), { secrets })).toEqual({
    configJson: config,
    secrets: { ANTHROPIC_API_KEY: "a" },
    missing: ["AWS_BEARER_TOKEN_BEDROCK"],
  });
});

test("needs no config and no key", () => {
  expect(readModelConfig(folder(), {})).toEqual({ configJson: "{}", secrets: {}, missing: [] });
});

test("reads the file that is named instead of the folder's own", () => {
  const dir = mkdtempSync(join(tmpdir(), "config-"));
  const configFile = join(dir, "other.json");
  writeFileSync(configFile, "{}");
  expect(readModelConfig(folder(config), { configFile }).configJson).toBe("{}");
  rmSync(dir, { recursive: true });
});

test("a config that is wrong says what, before anything starts", () => {
  expect(() => readModelConfig(folder('{"models":{"a":{"provider":"x"}}}'), {})).toThrow(
    "config.json: models.a.provider must be",
  );
});
