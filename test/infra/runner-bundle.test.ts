import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { bundleFunctions } from "../../infra/bundle.ts";

test(
  "the runner's bundle, with every provider in it, loads and stays below 1.5 MiB",
  { timeout: 60_000 },
  async () => {
    const { queueRun } = await bundleFunctions(["queueRun"]);
    const loaded = (await import(pathToFileURL(queueRun.file).href)) as { handler: unknown };
    expect(loaded.handler).toBeTypeOf("function");
    expect(statSync(queueRun.file).size).toBeLessThan(1.5 * 1024 * 1024);
  },
);

test(
  "only the functions that check and make keys hold the client of parameters",
  { timeout: 60_000 },
  async () => {
    const bundles = await bundleFunctions();
    const holding = Object.entries(bundles).filter(([, { metafile }]) =>
      Object.values(metafile.outputs).some(({ inputs }) =>
        Object.entries(inputs).some(
          ([path, { bytesInOutput }]) => /client-ssm/.test(path) && bytesInOutput > 0,
        ),
      ),
    );
    expect(holding.map(([name]) => name).toSorted()).toEqual(["authorizer", "httpKeys"]);
  },
);
