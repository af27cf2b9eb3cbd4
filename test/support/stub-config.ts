import { PROTOCOLS, type ModelStub, type Protocol } from "./model-stub.ts";

/** A key that must be nowhere but in the header of a request. */
export const STUB_KEY = "sk-never-printed-0123456789";

export const STUB_KEY_ENV: Record<Protocol, string> = {
  bedrock: "STUB_BEDROCK_KEY",
  anthropic: "STUB_ANTHROPIC_KEY",
  "openai-compatible": "STUB_OPENAI_KEY",
};

export const STUB_MODEL = "stub.model-v1";

const entryOf = (stub: ModelStub, protocol: Protocol) => ({
  provider: protocol,
  model: STUB_MODEL,
  baseUrl: stub.baseUrl(protocol),
  keyEnv: STUB_KEY_ENV[protocol],
  ...(protocol === "bedrock" && { region: "eu-central-1" }),
});

const prices = {
  [STUB_MODEL]: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, asOf: "2026-05-01" },
};

/** config.json whose `default` is the stub behind one provider. */
export const stubConfig = (stub: ModelStub, protocol: Protocol, more: object = {}): string =>
  JSON.stringify({ models: { default: { ...entryOf(stub, protocol), ...more } }, prices });

/** The alias of each provider in the config that has them all. */
export const STUB_ALIAS: Record<Protocol, string> = {
  bedrock: "small",
  anthropic: "default",
  "openai-compatible": "large",
};

/** config.json with the stub behind every provider. */
export const stubConfigOfAll = (stub: ModelStub): string =>
  JSON.stringify({
    models: Object.fromEntries(PROTOCOLS.map((protocol) => [STUB_ALIAS[protocol], entryOf(stub, protocol)])),
    prices,
  });
