import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { readParameters } from "../../../lib/api-keys/parameter-adapter.ts";
import { hasCode } from "../../../lib/core/errors.ts";

const ssm = new SSMClient({ region: "local" });
const answering = mockClient(ssm);
const failure = (promise: Promise<unknown>) => promise.then(() => null).catch((error: unknown) => error);

test("parameters are read decrypted and in one call, whatever their order", async () => {
  answering.on(GetParametersCommand).resolves({
    Parameters: [
      { Name: "/b", Value: "two" },
      { Name: "/a", Value: "one" },
    ],
  });
  expect(await readParameters(ssm, ["/a", "/b"])).toEqual(
    new Map([
      ["/b", "two"],
      ["/a", "one"],
    ]),
  );
  expect(answering.commandCalls(GetParametersCommand).map(({ args }) => args[0].input)).toEqual([
    { Names: ["/a", "/b"], WithDecryption: true },
  ]);
});

test("one that is not there is named, and no value is", async () => {
  answering.on(GetParametersCommand).resolves({ Parameters: [{ Name: "/a", Value: "the pepper" }] });
  const error = (await failure(readParameters(ssm, ["/a", "/b"]))) as Error;
  expect(error.message).toContain("/b");
  expect(error.message).not.toContain("the pepper");
});

test("a service that refuses is one that cannot be reached, without its words", async () => {
  answering.on(GetParametersCommand).rejects(new Error("arn:aws:kms:secret"));
  const error = await failure(readParameters(ssm, ["/a"]));
  expect(hasCode(error, "storage_unavailable")).toBe(true);
  expect((error as Error).message).not.toContain("kms");
});
