import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
} from "@aws-sdk/lib-dynamodb";
import { conditionExpressions, updateExpressions } from "../core/conditional-write.ts";
import { CONTROL, CONTROL_ROWS, TTL_ATTRIBUTE } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { GIVEN_UP_AFTER_MS, RepeatRecord, type KeptAnswer } from "./repeat-record.ts";

/** Requests that carry an Idempotency-Key, in the Control table. */
export function createRepeatStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const TableName = tables.control;
  const keyOf = (name: string) => ({
    [CONTROL.key]: `${CONTROL_ROWS.repeat}${name}`,
    [CONTROL.sort]: `${CONTROL_ROWS.repeat}${name}`,
  });

  return {
    /** False when the name is taken by a request that is answered or may still be. */
    async begin(name: string, record: RepeatRecord): Promise<boolean> {
      const { startedAt } = record;
      const when = conditionExpressions([
        {
          any: [
            [{ path: CONTROL.key, is: "absent" }],
            // TTL removes a row within days, not at its time.
            [{ path: "expiresAt", is: "<=", value: startedAt }],
            [
              { path: "isAnswered", is: "absent" },
              { path: "startedAt", is: "<=", value: startedAt - GIVEN_UP_AFTER_MS },
            ],
          ],
        },
      ]);
      const Item = { ...keyOf(name), ...record, [TTL_ATTRIBUTE]: Math.ceil(record.expiresAt / 1000) };
      return conditional("begin request", () => doc.send(new PutCommand({ TableName, Item, ...when })));
    },

    /** Read consistently; undefined when there is none. */
    async read(name: string): Promise<RepeatRecord | undefined> {
      const { Item } = await storage("read request", () =>
        doc.send(new GetCommand({ TableName, Key: keyOf(name), ConsistentRead: true })),
      );
      return Item && RepeatRecord.parse(Item);
    },

    /** False when the request was given up meanwhile and begun by somebody else. */
    async finish(name: string, token: string, answer: KeptAnswer): Promise<boolean> {
      const write = updateExpressions({
        name: "finish",
        set: { answer, isAnswered: true },
        when: [{ path: "token", is: "=", value: token }],
      });
      return conditional("finish request", () =>
        doc.send(new UpdateCommand({ TableName, Key: keyOf(name), ...write })),
      );
    },

    /** Forgets a request that came to nothing, so that it can be sent again. */
    async forget(name: string, token: string): Promise<boolean> {
      const when = conditionExpressions([{ path: "token", is: "=", value: token }]);
      return conditional("forget request", () =>
        doc.send(new DeleteCommand({ TableName, Key: keyOf(name), ...when })),
      );
    },
  };
}
export type RepeatStore = ReturnType<typeof createRepeatStore>;
