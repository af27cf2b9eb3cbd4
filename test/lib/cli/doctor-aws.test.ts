import { expect, test } from "vitest";
import type { Aws } from "../../../lib/cli/aws-adapter.ts";
import { EXIT } from "../../../lib/cli/failure.ts";
import { cdkArguments, stageOf } from "../../../lib/cli/ops/deploy.ts";
import { awsFindings } from "../../../lib/cli/ops/doctor-aws.ts";

const stacks: Record<string, { status: string; outputs: Record<string, string> }> = {
  CDKToolkit: { status: "CREATE_COMPLETE", outputs: {} },
  "mythos-dev-data": { status: "CREATE_COMPLETE", outputs: {} },
  "mythos-dev-app": { status: "UPDATE_COMPLETE", outputs: { ApiUrl: "https://api.example/" } },
};

/** An account with these stacks and a pepper. */
const account = (more: Partial<Aws> = {}): Aws => ({
  region: async () => "eu-central-1",
  identity: async () => ({ account: "123456789012", arn: "arn:aws:iam::123456789012:user/ana" }),
  stack: async (name) => stacks[name],
  parameterType: async (name) => (name === "/mythos/dev/key-pepper" ? "SecureString" : undefined),
  ...more,
});
const statesOf = async (aws: Aws, stage = "dev") => {
  const { findings, url } = await awsFindings(aws, { stage });
  return { states: Object.fromEntries(findings.map(({ check, state }) => [check, state])), findings, url };
};

test("a deployment that is whole is found whole, with the address of its API", async () => {
  const { states, url } = await statesOf(account());
  expect(new Set(Object.values(states))).toEqual(new Set(["ok"]));
  expect(Object.keys(states)).toEqual(["identity", "region", "bootstrap", "parameter", "data", "app", "api"]);
  expect(url).toBe("https://api.example/");
});

test("each thing that is missing is named, with what makes it", async () => {
  const { states, findings, url } = await statesOf(account({ stack: async () => undefined }), "prod");
  expect(states).toMatchObject({ bootstrap: "fail", parameter: "fail", data: "fail", app: "fail" });
  const fixes = findings.map(({ fix }) => fix ?? "");
  expect(fixes).toContain("npx cdk bootstrap");
  expect(fixes).toContain("npx mythos deploy --stage prod");
  expect(
    fixes.some((fix) => fix.includes("put-parameter --type SecureString --name /mythos/prod/key-pepper")),
  ).toBe(true);
  expect(url).toBeUndefined();
});

test("without credentials nothing else is asked, and the SDK's own text is not repeated", async () => {
  const identity = () =>
    Promise.reject(Object.assign(new Error("socket 0x1 …"), { name: "CredentialsProviderError" }));
  const { findings } = await statesOf(account({ identity, stack: () => Promise.reject(new Error("asked")) }));
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({
    state: "fail",
    found: "AWS does not know who this is (CredentialsProviderError)",
  });
});

test.each([
  ["UPDATE_IN_PROGRESS", "warn"],
  ["ROLLBACK_COMPLETE", "fail"],
  ["UPDATE_ROLLBACK_FAILED", "fail"],
  ["UPDATE_ROLLBACK_COMPLETE", "ok"],
])("a stack that is %s is %s", async (status, state) => {
  const stack = async () => ({ status, outputs: {} });
  expect((await statesOf(account({ stack }))).states["app"]).toBe(state);
});

test("a pepper that is no SecureString fails: everybody who may read parameters has it", async () => {
  expect((await statesOf(account({ parameterType: async () => "String" }))).states["parameter"]).toBe("fail");
});

test("what may not be looked at is a warning, and the rest is looked at", async () => {
  const denied = () => Promise.reject(Object.assign(new Error("no"), { name: "AccessDenied" }));
  const { states } = await statesOf(account({ stack: denied, parameterType: denied }));
  expect(states).toEqual({
    identity: "ok",
    region: "ok",
    bootstrap: "warn",
    parameter: "warn",
    data: "warn",
    app: "warn",
  });
});

test("CDK is called for both stacks of the stage, and to destroy for the application alone", () => {
  expect(cdkArguments("deploy", "dev", ["-c", "kms=true"]).join(" ")).toBe(
    "cdk deploy --all --require-approval never -c stage=dev -c kms=true",
  );
  expect(cdkArguments("diff", "prod", []).join(" ")).toBe("cdk diff --all -c stage=prod");
  expect(cdkArguments("destroy", "dev", []).join(" ")).toBe("cdk destroy App --force -c stage=dev");
});

test("a stage that cannot be part of a stack's name is refused before CDK is called", () => {
  expect(stageOf({ args: [], options: {} })).toBe("prod");
  expect(() => stageOf({ args: [], options: { stage: "dev -c x" } })).toThrow(
    expect.objectContaining({ exitCode: EXIT.usage }),
  );
});
