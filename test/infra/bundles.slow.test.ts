import { readFileSync } from "node:fs";
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

// Roles cannot tell the writes of a head apart: dynamodb:Attributes names whole attributes, in conditions as in
// changes, and the runner's conditions name the decision too. Code that is not in a bundle cannot run there.
test("a person's decision, and what takes it back, can be written by the steward's code alone", () => {
  const holding = (write: string) =>
    NAMES.filter((name) => readFileSync(bundles[name].file, "utf8").includes(write));
  expect(holding("D2 decision")).toEqual(["steward"]);
  expect(holding("D4 take back")).toEqual(["steward"]);
  expect(holding("D3 expire")).toEqual(["httpCron", "scheduleRecover"]);
});
