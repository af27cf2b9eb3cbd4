import type { ModelStub, Protocol } from "./model-stub.ts";

/** A key that must be nowhere but in the header of a request. */
export const STUB_KEY = "sk-never-printed-0123456789";

export const STUB_KEY_ENV: Record<Protocol, string> = {
  bedrock: "STUB_BEDROCK_KEY",
  anthropic: "STUB_ANTHROPIC_KEY",
  "openai-compatible": "STUB_OPENAI_KEY",
};

export const STUB_MODEL = "stub.model-v1";

/** config.json whose `default` is the stub behind one provider. */
export const stubConfig = (stub: ModelStub, protocol: Protocol, more: object = {}): string =>
  JSON.stringify({
    models: {
      default: {
        provider: protocol,
        model: STUB_MODEL,
        baseUrl: stub.baseUrl(protocol),
        keyEnv: STUB_KEY_ENV[protocol],
        ...(protocol === "bedrock" && { region: "eu-central-1" }),
        ...more,
      },
    },
    prices: {
      [STUB_MODEL]: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, asOf: "2026-05-01" },
    },
  });
