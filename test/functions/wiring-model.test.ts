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

test("names a provider that it does not know, at the first call and for its alias only", async () => {
  const models = createModels('{"models":{"large":{"provider":"nobody"}}}');
  await expect(models(request("large"))).rejects.toThrow('models.large.provider is "nobody"');
  expect((await models(request("small"))).stop).toBe("end");
});

test("reads the config no sooner than the first call", async () => {
  const models = createModels("{ not json");
  await expect(models(request("default"))).rejects.toThrow("config.json");
});
