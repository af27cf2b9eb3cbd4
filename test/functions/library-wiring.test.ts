import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { libraryOf } from "../../functions/library-wiring.ts";
import { createLog } from "../../functions/middleware/log.ts";
import { ENV } from "../../functions/env.ts";
import { randomIds } from "../../lib/core/ids.ts";
import { testClock } from "../support/clock.ts";
import { startEngine, type Engine } from "../support/engine.ts";
import { OWNER, PLAIN_WORKFLOW } from "../support/loop.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());
afterEach(() => vi.unstubAllEnvs());

const text = (model: string, budget: string) =>
  PLAIN_WORKFLOW.replace(
    "**Budget** `40k tokens` per run",
    `**Budget** ${budget} per run\n- **Model** \`${model}\``,
  );

/** The errors of a workflow in a deployment with this config. */
async function errorsOf(workflow: string, config: object): Promise<string[]> {
  vi.stubEnv(ENV.config, JSON.stringify(config));
  const tables: Record<string, string> = {
    [ENV.memosTable]: engine.tables.memos,
    [ENV.controlTable]: engine.tables.control,
  };
  const wiring = {
    clock: testClock(),
    ids: randomIds,
    doc: engine.doc,
    log: createLog(),
    env: (name: string) => tables[name] ?? "",
  };
  const { diagnostics } = await libraryOf(wiring).workflows.compileText(OWNER, workflow);
  return diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
}

const LOCAL = { provider: "openai-compatible", model: "my-local-model", baseUrl: "http://127.0.0.1:9/v1" };

test("a dollar budget needs a price for the model that this deployment configures", async () => {
  const workflow = text("local", "`$0.25`");
  expect(await errorsOf(workflow, { models: { local: LOCAL } })).toEqual(["MW416"]);
  expect(await errorsOf(workflow, { models: { local: { ...LOCAL, price: "free" } } })).toEqual([]);
});

test("a workflow may name the models of the config, and no others", async () => {
  expect(await errorsOf(text("local", "`4k tokens`"), { models: { local: LOCAL } })).toEqual([]);
  expect(await errorsOf(text("local", "`4k tokens`"), {})).toEqual(["MW419"]);
});
