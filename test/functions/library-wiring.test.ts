import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { libraryOf } from "../../functions/library-wiring.ts";
import { createLog } from "../../functions/middleware/log.ts";
import { ENV } from "../../functions/env.ts";
import { randomIds } from "../../lib/core/ids.ts";
import { requesterOf } from "../../lib/core/principal.ts";
import { writeMemo } from "../../lib/memos/write.ts";
import { testClock } from "../support/clock.ts";
import { startEngine, type Engine } from "../support/engine.ts";
import { OWNER, PLAIN_WORKFLOW, steward } from "../support/loop.ts";

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

/** The library of a deployment with this config, as the function that shows workflows has it. */
function libraryWith(config: object) {
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
  return libraryOf(wiring, { sizes: true });
}

/** The errors of a workflow in a deployment with this config. */
async function errorsOf(workflow: string, config: object): Promise<string[]> {
  const { diagnostics } = await libraryWith(config).workflows.compileText(OWNER, workflow);
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

test("a gate that fills the window of the workflow's model is told of where workflows are shown", async () => {
  const small = libraryWith({ models: { local: { ...LOCAL, price: "free", window: 1000 } } });
  await writeMemo(
    { memos: small.memos, clock: testClock() },
    {
      ownerUid: OWNER,
      memoId: "memo_gate",
      base: null,
      content: { title: "Long gate", body: "word ".repeat(700) },
      writeToken: "gate",
      writtenBy: requesterOf(steward),
      sessionId: null,
      runId: null,
    },
  );
  const gated = text("local", "`4k tokens`").replace(
    "## Load Contract",
    "## Load Contract\n- **Gate** [[Long gate]]",
  );
  const { diagnostics } = await small.workflows.compileText(OWNER, gated);
  expect(diagnostics.map(({ code }) => code)).toEqual(["MW213"]);
  const large = libraryWith({ models: { local: { ...LOCAL, price: "free", window: 100_000 } } });
  expect((await large.workflows.compileText(OWNER, gated)).diagnostics).toEqual([]);
});
