import { expect, test } from "vitest";
import { createModels } from "../../functions/wiring-model.ts";
import { modelRequest, payload } from "../support/model-request.ts";

const request = (model: string) => modelRequest({ model, parts: [payload({ topic: "Queues" })] });

test.each(["", "{}", '{"models":{"default":{"provider":"offline"}}}'])(
  "answers offline for every alias of the config %j",
  async (config) => {
    const models = createModels(config);
    for (const alias of ["small", "default", "large"]) {
      expect((await models(request(alias))).model).toBe("offline-extractive");
    }
  },
);

test("names what is wrong with the config, whatever alias is asked", async () => {
  const models = createModels('{"models":{"large":{"provider":"nobody"}}}');
  await expect(models(request("small"))).rejects.toThrow(
    "config.json: models.large.provider must be offline, bedrock, anthropic or openai-compatible",
  );
});

test("lists what the config has when a model is not in it", async () => {
  const models = createModels('{"models":{"mine":{"provider":"offline"}}}');
  expect((await models(request("mine"))).stop).toBe("end");
  await expect(models(request("yours"))).rejects.toThrow(
    'config.json has no model "yours"; it has small, default, large, mine',
  );
});

test("asks the environment for the key under the name of the config, and for no other", async () => {
  const asked: string[] = [];
  const entry = { provider: "anthropic", model: "claude-one", keyEnv: "MY_KEY" };
  const models = createModels(JSON.stringify({ models: { default: entry } }), (name) => {
    asked.push(name);
    return undefined;
  });
  await expect(models(request("claude-one"))).rejects.toThrow("the environment variable MY_KEY is not set");
  expect(asked).toEqual(["MY_KEY"]);
});

test("reads the config no sooner than the first call", async () => {
  const models = createModels("{ not json");
  await expect(models(request("default"))).rejects.toThrow("config.json");
});
