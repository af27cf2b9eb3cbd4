import { CloudFormationClient, DescribeStackResourceCommand } from "@aws-sdk/client-cloudformation";
import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAudit } from "../../../lib/audit/note.ts";
import { createAuditStore } from "../../../lib/audit/store.ts";
import { revokeKey } from "../../../lib/api-keys/manage.ts";
import { verifyKey } from "../../../lib/api-keys/keys.ts";
import { peppersOf } from "../../../lib/api-keys/pepper.ts";
import { createKeyStore, type KeyStore } from "../../../lib/api-keys/store.ts";
import { randomSecret } from "../../../lib/core/ids.ts";
import { SCOPES } from "../../../lib/core/principal.ts";
import { openAwsKeys, type AwsKeys } from "../../../lib/cli/aws-adapter.ts";
import { EXIT } from "../../../lib/cli/failure.ts";
import { mintFirstKey, type FirstKey } from "../../../lib/cli/ops/first-key.ts";
import { mythos } from "../../e2e/cli-process.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine, type Engine } from "../../support/engine.ts";
import { countingIds } from "../../support/ids.ts";

const PEPPER = "a pepper of the account";
let engine: Engine;
let keys: KeyStore;
beforeAll(async () => {
  engine = await startEngine();
  keys = createKeyStore(engine.doc, { control: engine.tables.control });
});
afterAll(() => engine.stop());
beforeEach(() => engine.resetCounts());

/** An account with a deployment, as its stack and its parameter are named. */
const account = (more: Partial<AwsKeys> = {}): AwsKeys => ({
  account: async () => "123456789012",
  table: async (stack, id) =>
    stack === "mythos-prod-data" && id === "ControlTable" ? engine.tables.control : undefined,
  secret: async (name) => (name === "/mythos/prod/key-pepper" ? PEPPER : undefined),
  keys: (control) => createKeyStore(engine.doc, { control }),
  ...more,
});
const ids = countingIds();
const clock = testClock();
const asked = (ownerUid: string, more: Partial<FirstKey> = {}): FirstKey => ({
  stage: "prod",
  pepperParameter: "/mythos/prod/key-pepper",
  ownerUid,
  username: ownerUid,
  label: "first",
  scopes: SCOPES,
  isOneMore: false,
  ...more,
});
const mint = (input: FirstKey, aws = account()) =>
  mintFirstKey({ aws, clock, ids, secret: randomSecret, say: () => undefined }, input);
const principalOf = (key: string) => verifyKey({ keys, peppers: async () => peppersOf(PEPPER) }, key);

test("the first key is a good key of a person of that owner, who may make others", async () => {
  const { key, record } = await mint(asked("ana"));
  expect(await principalOf(key)).toMatchObject({
    kind: "human",
    ownerUid: "ana",
    uid: "ana",
    keyId: record.keyId,
    scopes: SCOPES,
  });
  expect(JSON.stringify(record)).not.toContain(key.slice(-43));
});

test("where the owner has a key no other is made, unless that is meant; a revoked one is none", async () => {
  const first = await mint(asked("bo"));
  engine.resetCounts();
  await expect(mint(asked("bo"))).rejects.toMatchObject({
    exitCode: EXIT.conflict,
    message: expect.stringContaining(first.record.keyId),
  });
  expect(engine.counts()["PutItem"]).toBeUndefined();
  const second = await mint(asked("bo", { isOneMore: true }));
  expect(await principalOf(first.key)).toBeDefined();
  const bo = (await principalOf(second.key))!;
  const audit = createAudit(createAuditStore(engine.doc, engine.tables.ledger));
  for (const { record } of [first, second]) {
    await revokeKey(
      { keys, clock, audit },
      { principal: bo, sessionId: null },
      { keyId: record.keyId, self: true },
    );
  }
  expect(await principalOf((await mint(asked("bo"))).key)).toBeDefined();
});

test("another owner's key is not in the way", async () => {
  await mint(asked("cleo"));
  expect(await principalOf((await mint(asked("dan"))).key)).toMatchObject({ ownerUid: "dan" });
});

test.each([
  ["a stage that is not deployed", { stage: "dev" }, "mythos-dev-data is not there"],
  ["a pepper that is not there", { pepperParameter: "/x" }, "/x is not there"],
])("%s is named, and nothing is written", async (_name, more, message) => {
  await expect(mint(asked("eve", more))).rejects.toMatchObject({ exitCode: EXIT.notFound, message });
  expect(engine.counts()).toEqual({});
});

test("what AWS refuses is named by its kind alone", async () => {
  const denied = () =>
    Promise.reject(Object.assign(new Error("arn:aws:kms:…"), { name: "AccessDeniedException" }));
  for (const part of ["account", "table", "secret"] as const) {
    await expect(mint(asked("eve"), account({ [part]: denied }))).rejects.toMatchObject({
      exitCode: EXIT.failed,
      message: expect.stringMatching(/^[^:]+ \(AccessDeniedException\)$/),
    });
  }
});

test("the account is asked for the table by its pinned id, and for the pepper decrypted", async () => {
  const cloudFormation = mockClient(CloudFormationClient);
  const ssm = mockClient(SSMClient);
  cloudFormation
    .on(DescribeStackResourceCommand, { StackName: "mythos-prod-data", LogicalResourceId: "ControlTable" })
    .resolves({ StackResourceDetail: { PhysicalResourceId: "the-table" } as never })
    .on(DescribeStackResourceCommand, { StackName: "mythos-dev-data" })
    .rejects(new Error("Stack 'mythos-dev-data' does not exist"));
  ssm
    .on(GetParametersCommand, { Names: ["/p"], WithDecryption: true })
    .resolves({ Parameters: [{ Value: "v" }] });
  const aws = openAwsKeys();
  expect(await aws.table("mythos-prod-data", "ControlTable")).toBe("the-table");
  expect(await aws.table("mythos-dev-data", "ControlTable")).toBeUndefined();
  expect(await aws.secret("/p")).toBe("v");
});

test.each([
  [["keys", "create", "x", "--bootstrap"], "--target aws"],
  [["keys", "create", "x", "--bootstrap", "--target", "aws", "--owner", "a#b"], "--owner"],
  [["keys", "create", "x", "--bootstrap", "--target", "aws", "--kind", "agent"], "person"],
  [["keys", "create", "x", "--bootstrap", "--target", "aws", "--scope", "all"], "scopes"],
])("mythos %j is misuse, and an account is not asked", async (args, word) => {
  const said = await mythos(args, { env: { MYTHOS_DATA: "/nowhere" } });
  expect(said).toMatchObject({ code: EXIT.usage, out: "" });
  expect(said.err).toContain(word);
});
