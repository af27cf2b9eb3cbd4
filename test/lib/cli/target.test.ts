import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createColors } from "picocolors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../../lib/cli/connection.ts";
import type { Environment } from "../../../lib/cli/environment.ts";
import { EXIT, Failure } from "../../../lib/cli/failure.ts";
import { targetLine, withTarget } from "../../../lib/cli/target.ts";

const PROD_URL = "https://loops.example";
const CONFIG = {
  targets: {
    prod: { url: PROD_URL, keyEnv: "PROD_KEY", internalKeyEnv: "PROD_INTERNAL" },
    keyless: { url: "https://keyless.example" },
  },
};

let data: string;
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "target-"));
  writeFileSync(join(data, "config.json"), JSON.stringify(CONFIG));
});
afterAll(() => rmSync(data, { recursive: true }));

const set = { url: "http://127.0.0.1:9", key: "mine", internalKey: "mine too", session: "ses_1" };
const variables: Record<string, string> = { PROD_KEY: "theirs" };
const resolve = (named?: string, more: object = {}) =>
  withTarget({ ...set, data, ...more }, named, (name) => variables[name]);

async function failureOf(attempt: Promise<unknown>): Promise<Failure> {
  const failure = await attempt.catch((error: unknown) => error);
  if (failure instanceof Failure) return failure;
  throw new Error("it did not fail");
}

describe("a target", () => {
  test("brings its address and its own key, and takes none that were set for another host", async () => {
    const expected = {
      url: PROD_URL,
      key: "theirs",
      keyEnv: "PROD_KEY",
      session: "ses_1",
      data,
      target: "prod",
    };
    expect(await resolve("prod")).toEqual(expected);
    expect(await resolve(undefined, { target: "prod" })).toEqual(expected);
  });

  test("local is this machine's host, whatever is set", async () => {
    expect(await resolve("local")).toEqual({ session: "ses_1", data, target: "local" });
  });

  test("without one the environment is as it was", async () => {
    expect(await resolve()).toEqual({ ...set, data });
  });

  test("that nobody named is misuse, and says which there are", async () => {
    const failure = await failureOf(resolve("pord"));
    expect(failure.exitCode).toBe(EXIT.usage);
    expect(failure.message).toContain("local, aws, prod, keyless");
    expect((await failureOf(resolve("toString"))).exitCode).toBe(EXIT.usage);
  });

  test("without its key is missed when somebody signs in, by the name of its variable", async () => {
    delete variables["PROD_KEY"];
    const env = await resolve("prod");
    variables["PROD_KEY"] = "theirs";
    expect(env).toEqual({ url: PROD_URL, keyEnv: "PROD_KEY", session: "ses_1", data, target: "prod" });
    const signIn = async (as: Environment) =>
      connect(as, "steward", { sessionId: undefined, aboutToWrite() {} });
    const failure = await failureOf(signIn(env));
    expect(failure.exitCode).toBe(EXIT.notAllowed);
    expect(failure.message).toContain("PROD_KEY is not set");
    expect((await failureOf(signIn(await resolve("keyless")))).hint).toContain("targets.keyless.keyEnv");
  });
});

describe("what is about to be written to", () => {
  const tones = createColors(true);
  test("is named, and looks different when it is not on this machine", () => {
    expect(targetLine({}, "http://127.0.0.1:4747", tones)).toBe(
      tones.dim("target local http://127.0.0.1:4747"),
    );
    const far = targetLine({ target: "prod" }, "https://loops.example", tones);
    expect(far).toBe(tones.bold(tones.magenta("target prod https://loops.example")));
    expect(targetLine({}, "https://loops.example", createColors(false))).toBe(
      "target loops.example https://loops.example",
    );
    // A name that only looks like this machine's.
    expect(targetLine({}, "https://localhost.example", tones)).not.toBe(
      tones.dim("target localhost.example https://localhost.example"),
    );
  });
});
