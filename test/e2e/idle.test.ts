import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunctions } from "../../infra/bundle.ts";
import { startHost, type Host } from "../../infra/local/host.ts";
import { FUNCTIONS, type FunctionName } from "../../infra/topology.ts";

let host: Host;
const dataDir = mkdtempSync(join(tmpdir(), "mythos-idle-"));
beforeAll(async () => {
  host = await startHost({ dataDir, port: 0, quiet: true, everyMs: 3_600_000 });
});
afterAll(async () => {
  await host.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Operations that change a table or send a message. */
const CHANGES = /^(Put|Update|Delete|BatchWrite|TransactWrite)|^Send/;

test("a thousand passes over an empty queue write nothing, send nothing and call no model", async () => {
  await host.invoke("schedulePass", {});
  host.resetCounts();
  for (let n = 0; n < 1000; n++) {
    const outcome = await host.invoke("schedulePass", {});
    expect(outcome).toMatchObject({ ok: true, payload: expect.stringContaining('"started":0') });
  }
  for (let n = 0; n < 20; n++) {
    await host.invoke("scheduleResume", {});
    await host.invoke("scheduleRecover", {});
  }
  const counts = host.counts();
  const changes = Object.values(counts)
    .flatMap((operations) => Object.entries(operations))
    .filter(([operation]) => CHANGES.test(operation));
  expect(changes).toEqual([]);
  // The passes did reach the engine: the count counts.
  expect(counts.dynamodb["Query"]).toBeGreaterThanOrEqual(1000);
});

test("only the bundle of the runner holds a model", async () => {
  const bundles = await bundleFunctions();
  const withModel = (Object.keys(FUNCTIONS) as FunctionName[]).filter((name) =>
    Object.keys(bundles[name].metafile.inputs).some((input) =>
      /lib\/model\/.*adapter\.ts$|wiring-model\.ts$|node_modules\/(ai|@ai-sdk)\//.test(input),
    ),
  );
  expect(withModel).toEqual(["queueRun"]);
});
