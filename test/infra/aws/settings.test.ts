import { RootConstruct } from "constructs";
import { expect, test } from "vitest";
import { readSettings } from "../../../infra/aws/settings.ts";

function settingsOf(context: Record<string, unknown>) {
  const root = new RootConstruct();
  for (const [key, value] of Object.entries(context)) root.node.setContext(key, value);
  return readSettings(root.node);
}

test("without context a deployment is prod, untraced, on one vendor's models", () => {
  expect(settingsOf({})).toEqual({
    stage: "prod",
    tracing: false,
    kms: false,
    alarmTopic: undefined,
    bedrockModels: ["anthropic.*"],
    configJson: "{}",
    stuckRunMs: 600_000,
    writesPerMinute: 600,
    pepperParameter: "/mythos/prod/key-pepper",
    previousPepperParameter: undefined,
    pepperKey: undefined,
    corsOrigins: [],
    signIn: undefined,
  });
});

test("the command line's texts and cdk.json's values mean the same", () => {
  const said = settingsOf({
    stage: "dev",
    tracing: "true",
    bedrockModels: "anthropic.claude-*,amazon.nova-lite-v1:0",
    config: '{ "models": {} }',
    stuckRunMs: "60000",
  });
  const written = settingsOf({
    stage: "dev",
    tracing: true,
    bedrockModels: ["anthropic.claude-*", "amazon.nova-lite-v1:0"],
    config: { models: {} },
    stuckRunMs: 60_000,
  });
  expect(said).toEqual(written);
  expect(said.configJson).toBe('{"models":{}}');
});

test.each([
  [{ stage: "Prod" }, "stage"],
  [{ stage: "" }, "stage"],
  [{ bedrockModels: "*" }, "bedrockModels"],
  [{ bedrockModels: "*.*" }, "bedrockModels"],
  [{ bedrockModels: "" }, "bedrockModels"],
  [{ stuckRunMs: "ten" }, "stuckRunMs"],
  [{ stuckRunMs: 0 }, "stuckRunMs"],
  [{ config: "{models}" }, "config"],
  [{ writesPerMinute: "-1" }, "writesPerMinute"],
  [{ pepperParameter: "no path" }, "pepperParameter"],
  [{ pepperParameter: "/mythos/*" }, "pepperParameter"],
  [{ previousPepperParameter: "x" }, "previousPepperParameter"],
  [{ pepperKey: "alias/mine" }, "pepperKey"],
  [{ pepperKey: "arn:aws:kms:eu-central-1:111111111111:alias/mine" }, "pepperKey"],
  [{ corsOrigins: "*" }, "corsOrigins"],
  [{ corsOrigins: "https://app.example/" }, "corsOrigins"],
  [{ corsOrigins: "https://*.example" }, "corsOrigins"],
  [{ corsOrigins: "app.example" }, "corsOrigins"],
  [{ corsOrigins: "https://app.example,null" }, "corsOrigins"],
  [{ jwtIssuer: "http://issuer.example" }, "jwtIssuer"],
  [{ jwtIssuer: "https://issuer.example", jwtOwnerUid: "ana" }, "jwtAudience"],
  [{ jwtIssuer: "https://issuer.example", jwtAudience: "a" }, "jwtOwnerClaim or jwtOwnerUid"],
  [
    { jwtIssuer: "https://issuer.example", jwtAudience: "a", jwtOwnerClaim: "o", jwtOwnerUid: "ana" },
    "jwtOwnerClaim or jwtOwnerUid",
  ],
  [{ tracing: "yes" }, "tracing"],
  [{ kms: 1 }, "kms"],
  [{ alarmTopic: "ops" }, "alarmTopic"],
])("%j is refused by the name of the setting", (context, name) => {
  expect(() => settingsOf(context)).toThrow(`context ${name}`);
});

test("an issuer with its audience and an owner lets people sign in", () => {
  const context = { jwtIssuer: "https://issuer.example", jwtAudience: "a,b", jwtOwnerClaim: "custom:owner" };
  expect(settingsOf(context).signIn).toEqual({
    issuer: "https://issuer.example",
    audience: ["a", "b"],
    ownerClaim: "custom:owner",
    ownerUid: null,
  });
});
