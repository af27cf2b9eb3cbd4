import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunctions, type Bundle } from "../../infra/bundle.ts";
import { FUNCTIONS, type FunctionName } from "../../infra/topology.ts";
import { callBundle, environmentFor, eventFor } from "../bench/bundle-calls.ts";
import { startEngine, type Engine } from "../support/engine.ts";

const NAMES = Object.keys(FUNCTIONS) as FunctionName[];
let engine: Engine;
let bundles: Record<FunctionName, Bundle>;
beforeAll(async () => {
  engine = await startEngine();
  bundles = await bundleFunctions();
});
afterAll(() => engine.stop());

test.each(NAMES)("the bundle of %s, imported in a process of its own, answers an event", async (name) => {
  const { event, isRight } = eventFor(name);
  const { answer } = await callBundle(
    bundles[name].file,
    event,
    environmentFor(name, engine.endpoint, engine.tables),
  );
  expect(answer).toSatisfy(isRight);
});

test("no function but the runner signs in with anything but its own role's variables", () => {
  for (const name of NAMES.filter((each) => each !== "queueRun")) {
    const inputs = Object.keys(bundles[name].metafile.inputs);
    expect(
      inputs.filter((path) => /credential-provider-(sso|ini|process|login|web-identity)/.test(path)),
    ).toEqual([]);
  }
});
