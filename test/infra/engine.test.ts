import { afterAll, expect, test } from "vitest";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { startEngine } from "../support/engine.ts";

const engine = await startEngine();
afterAll(() => engine.stop());

test("the embedded engine has every declared table and counts what is asked of it", async () => {
  await engine.doc.send(
    new PutCommand({ TableName: engine.tables.lanes, Item: { lane: "a#memo_1", enqueueSeq: 1 } }),
  );
  const read = await engine.doc.send(
    new GetCommand({ TableName: engine.tables.lanes, Key: { lane: "a#memo_1" }, ConsistentRead: true }),
  );
  expect(read.Item).toEqual({ lane: "a#memo_1", enqueueSeq: 1 });
  expect(engine.counts()).toEqual({ PutItem: 1, GetItem: 1 });
});
