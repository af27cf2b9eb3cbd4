import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { conditionExpressions, updateExpressions } from "../core/conditional-write.ts";
import { CONTROL, SHARD } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import type { DueRow, ScheduleRow, WakeRow } from "./due.ts";

const Row = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("schedule"),
    pk: z.string(),
    sk: z.string(),
    owner: z.string(),
    workflowId: z.string(),
    expression: z.string(),
    timeZone: z.string().nullable(),
    anchorAt: z.number(),
    nextAt: z.number().exactOptional(),
  }) satisfies z.ZodType<ScheduleRow>,
  z.object({
    kind: z.literal("wake"),
    pk: z.string(),
    sk: z.string(),
    lane: z.string(),
    nextAt: z.number(),
  }) satisfies z.ZodType<WakeRow>,
]);

const { due } = CONTROL;

/** Schedules and waits that end by themselves, as rows that are due at a time. */
export function createLoopStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const TableName = tables.control;
  const keyOf = ({ pk, sk }: Pick<DueRow, "pk" | "sk">) => ({ [CONTROL.key]: pk, [CONTROL.sort]: sk });
  const schedulesKey = (ownerUid: string, workflowId: string) => `schedule#${ownerUid}#${workflowId}`;

  /** A row is due only while it has a time. */
  const put = (row: DueRow) =>
    storage("loops.put", () =>
      doc.send(
        new PutCommand({
          TableName,
          Item: { ...row, ...(row.nextAt !== undefined && { [due.key]: SHARD }) },
        }),
      ),
    );

  return {
    /** Rows whose time has come, longest due first, read consistently. With none it is one read of the index. */
    async dueRows(at: number, limit: number): Promise<DueRow[]> {
      const { Items = [] } = await storage("loops.due", () =>
        doc.send(
          new QueryCommand({
            TableName,
            IndexName: due.index,
            KeyConditionExpression: "#shard = :shard AND #next <= :at",
            ExpressionAttributeNames: { "#shard": due.key, "#next": due.sort },
            ExpressionAttributeValues: { ":shard": SHARD, ":at": at },
            Limit: limit,
          }),
        ),
      );
      const rows = await Promise.all(
        Items.map((item) =>
          storage("loops.read", () =>
            doc.send(
              new GetCommand({
                TableName,
                Key: { [CONTROL.key]: item[CONTROL.key], [CONTROL.sort]: item[CONTROL.sort] },
                ConsistentRead: true,
              }),
            ),
          ),
        ),
      );
      return rows
        .flatMap(({ Item }) => (Item ? [Row.parse(Item)] : []))
        .filter(({ nextAt }) => nextAt !== undefined && nextAt <= at);
    },

    /** The schedules of a workflow, read consistently. */
    async schedulesOf(ownerUid: string, workflowId: string): Promise<ScheduleRow[]> {
      const { Items = [] } = await storage("loops.schedulesOf", () =>
        doc.send(
          new QueryCommand({
            TableName,
            ConsistentRead: true,
            KeyConditionExpression: "#key = :key",
            ExpressionAttributeNames: { "#key": CONTROL.key },
            ExpressionAttributeValues: { ":key": schedulesKey(ownerUid, workflowId) },
          }),
        ),
      );
      return Items.map((item) => Row.parse(item)).filter((row) => row.kind === "schedule");
    },

    /** Makes a schedule's row what it is to be now. */
    async putSchedule(row: Omit<ScheduleRow, "kind" | "pk">): Promise<void> {
      await put({ kind: "schedule", pk: schedulesKey(row.owner, row.workflowId), ...row });
    },

    /** The schedule's next slot; null when it has none. False when somebody else has moved the row since. */
    async moveSchedule(row: ScheduleRow, nextAt: number | null): Promise<boolean> {
      const write = updateExpressions({
        name: "move",
        ...(nextAt === null ? { remove: [due.key, due.sort] } : { set: { [due.sort]: nextAt } }),
        when: [
          { path: due.sort, is: "=", value: row.nextAt ?? 0 },
          { path: "expression", is: "=", value: row.expression },
        ],
      });
      return conditional("loops.move", () =>
        doc.send(new UpdateCommand({ TableName, Key: keyOf(row), ...write })),
      );
    },

    /** Makes a lane ready again at a time. */
    async putWake(lane: string, nextAt: number): Promise<void> {
      await put({ kind: "wake", pk: `wake#${lane}`, sk: "WAKE", lane, nextAt });
    },

    /** Removes a row that is as it was read. False when somebody else has changed it since. */
    async remove(row: DueRow): Promise<boolean> {
      const when = conditionExpressions([
        row.nextAt === undefined
          ? { path: due.sort, is: "absent" }
          : { path: due.sort, is: "=", value: row.nextAt },
      ]);
      return conditional("loops.remove", () =>
        doc.send(new DeleteCommand({ TableName, Key: keyOf(row), ...when })),
      );
    },
  };
}
export type LoopStore = ReturnType<typeof createLoopStore>;
