import { describe, expect, test } from "vitest";
import { TTL_ATTRIBUTE } from "../../../lib/core/keys.ts";
import { TABLES, type KeyAttribute, type TableDeclaration } from "../../../infra/topology.ts";
import { resources, synthesise } from "./synthesised.ts";

type KeySchema = { AttributeName: string; KeyType: "HASH" | "RANGE" }[];
type Index = {
  IndexName: string;
  KeySchema: KeySchema;
  Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
};
type TableProperties = {
  AttributeDefinitions: { AttributeName: string; AttributeType: "S" | "N" }[];
  KeySchema: KeySchema;
  GlobalSecondaryIndexes?: Index[];
  LocalSecondaryIndexes?: Index[];
};

const synthesised = synthesise();
const tables = resources<TableProperties>(synthesised.data, "AWS::DynamoDB::Table");

/** The declaration that a table of the template would come from. */
function declarationOf(table: TableProperties): Omit<TableDeclaration, "env"> {
  const types = new Map(table.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  const part = (schema: KeySchema, keyType: "HASH" | "RANGE"): KeyAttribute | undefined => {
    const name = schema.find((each) => each.KeyType === keyType)?.AttributeName;
    return name === undefined ? undefined : { name, type: types.get(name)! };
  };
  const index = (kind: "global" | "local") => (each: Index) => {
    const { ProjectionType, NonKeyAttributes } = each.Projection;
    return {
      name: each.IndexName,
      kind,
      ...(kind === "global" && { key: part(each.KeySchema, "HASH")! }),
      sort: part(each.KeySchema, "RANGE")!,
      // Any projection but the keys shows here: ALL has no list of attributes, and none is declared so.
      ...(ProjectionType !== "KEYS_ONLY" && { include: NonKeyAttributes ?? [ProjectionType] }),
    };
  };
  const sort = part(table.KeySchema, "RANGE");
  return {
    key: part(table.KeySchema, "HASH")!,
    ...(sort && { sort }),
    indexes: [
      ...(table.GlobalSecondaryIndexes ?? []).map(index("global")),
      ...(table.LocalSecondaryIndexes ?? []).map(index("local")),
    ],
  };
}

const tableId = (name: string) => `${name[0]!.toUpperCase()}${name.slice(1)}Table`;

test("the template has the declared tables with their keys, indexes and projections, and no others", () => {
  const found = Object.fromEntries([...tables].map(([id, table]) => [id, declarationOf(table)]));
  const declared = Object.entries<TableDeclaration>(TABLES).map(([name, { key, sort, indexes }]) => [
    tableId(name),
    { key, ...(sort && { sort }), indexes },
  ]);
  expect(found).toEqual(Object.fromEntries(declared));
});

test("a local index shares the partition key of its table", () => {
  for (const table of tables.values()) {
    for (const index of table.LocalSecondaryIndexes ?? [])
      expect(index.KeySchema[0]).toEqual(table.KeySchema[0]);
  }
});

test("every table is kept, recoverable, protected, paid by use, and expires by seconds", () => {
  for (const resource of Object.values(synthesised.data.findResources("AWS::DynamoDB::Table"))) {
    expect(resource).toMatchObject({
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
      Properties: {
        BillingMode: "PAY_PER_REQUEST",
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
      },
    });
  }
  expect(synthesised.stacks.data.terminationProtection).toBe(true);
});

test("with -c kms=true they are under one key that is kept and rotates, and whoever uses one may use it through DynamoDB", () => {
  const made = synthesise({ kms: true });
  const [key] = Object.values(made.data.findResources("AWS::KMS::Key"));
  expect(key).toMatchObject({ DeletionPolicy: "Retain", Properties: { EnableKeyRotation: true } });
  for (const table of resources<Record<string, unknown>>(made.data, "AWS::DynamoDB::Table").values()) {
    expect(table["SSESpecification"]).toEqual({
      SSEEnabled: true,
      SSEType: "KMS",
      KMSMasterKeyId: { "Fn::GetAtt": ["TablesKey", "Arn"] },
    });
  }
  const policies = [...resources<object>(made.app, "AWS::IAM::Policy").values()].map((each) =>
    JSON.stringify(each),
  );
  const using = policies.filter((policy) => policy.includes("dynamodb:GetItem"));
  expect(using.length).toBeGreaterThan(0);
  expect(
    using.filter((policy) => !policy.includes('"kms:Decrypt"') || !policy.includes("kms:ViaService")),
  ).toEqual([]);
  expect(policies.filter((policy) => policy.includes("kms:")).length).toBe(using.length);
});

test("the tables' stack holds tables and nothing that a release of the code would touch", () => {
  const types = Object.values(synthesised.data.toJSON()["Resources"] as Record<string, { Type: string }>);
  expect(new Set(types.map((each) => each.Type))).toEqual(new Set(["AWS::DynamoDB::Table"]));
});

test("every table is exported by name and by address, used or not", () => {
  const exported = Object.values(synthesised.data.findOutputs("*")).map((output) =>
    JSON.stringify(output["Value"]),
  );
  const expected = [...tables.keys()].flatMap((id) => [
    JSON.stringify({ Ref: id }),
    JSON.stringify({ "Fn::GetAtt": [id, "Arn"] }),
  ]);
  expect(exported.toSorted()).toEqual(expected.toSorted());
});

describe("F53: pinned names", () => {
  test("logical ids of what holds state never change: a new one replaces the thing and leaves the old behind", () => {
    const found = ["AWS::DynamoDB::Table", "AWS::SQS::Queue", "AWS::ApiGatewayV2::Api"].flatMap((type) => [
      ...resources(synthesised.data, type).keys(),
      ...resources(synthesised.app, type).keys(),
    ]);
    expect(found.toSorted()).toEqual([
      "ControlTable",
      "HttpApi",
      "LanesTable",
      "LedgerTable",
      "MemosTable",
      "QueueTable",
      "RunDeadLetters",
      "RunQueue",
      "RunsTable",
      "ScheduleFailures",
      "SessionsTable",
      "WakeDeadLetters",
      "WakeQueue",
    ]);
  });

  test("a release adds or removes at most one global index a table, and local ones never: CloudFormation cannot", () => {
    const found = [...tables].flatMap(([id, table]) => [
      ...(table.GlobalSecondaryIndexes ?? []).map((index) => `${id} ${index.IndexName}`),
      ...(table.LocalSecondaryIndexes ?? []).map((index) => `${id} ${index.IndexName} (local)`),
    ]);
    expect(found.toSorted()).toEqual([
      "ControlTable byOwner",
      "ControlTable due",
      "LanesTable all",
      "LanesTable ready",
      "MemosTable byOwner",
      "MemosTable untold",
      "QueueTable pending (local)",
      "RunsTable active",
      "RunsTable byOwner",
      "RunsTable bySession",
      "RunsTable deadline",
      "RunsTable inbox",
      "RunsTable outbox",
      "SessionsTable byOwner",
      "SessionsTable byParent",
      "SessionsTable live",
    ]);
  });
});
