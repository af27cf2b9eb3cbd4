import { GetCommand, UpdateCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { updateExpressions } from "../core/conditional-write.ts";
import { DAY_MS } from "../core/duration.ts";
import { digestOf } from "../core/ids.ts";
import { CONTROL, TTL_ATTRIBUTE } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { dayOf, type Spend } from "./day.ts";

/** How long a day's row is kept. */
const KEPT_MS = 100 * DAY_MS;

const SpendRow = z.object({ tokens: z.number().default(0), microUsd: z.number().default(0) });

/** What workflows spend, one row a workflow and day. */
export function createSpendStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const keyOf = (ownerUid: string, workflowId: string, day: string) => ({
    [CONTROL.key]: `spend#${ownerUid}#${workflowId}`,
    [CONTROL.sort]: day,
  });
  return {
    /** What a workflow has spent on the day of a time, read consistently: a pass decides by it. */
    async spentOn(ownerUid: string, workflowId: string, at: number): Promise<Spend> {
      const { Item } = await storage("spend.read", () =>
        doc.send(
          new GetCommand({
            TableName: tables.control,
            Key: keyOf(ownerUid, workflowId, dayOf(at)),
            ConsistentRead: true,
          }),
        ),
      );
      return SpendRow.parse(Item ?? {});
    },

    /**
     * Adds what one piece of work cost to the day on which it began. The same token again adds nothing, so a
     * repeat after a crash or a lost answer counts once. False when it was counted before.
     */
    async addOnce(
      ownerUid: string,
      workflowId: string,
      spent: Spend & { at: number; token: string },
    ): Promise<boolean> {
      // In the row itself, since only one item changes as a whole: about ten bytes for each counted call of the day.
      const mark = digestOf([spent.token]).slice(0, 10);
      const write = updateExpressions({
        name: "spend",
        add: { tokens: spent.tokens, microUsd: spent.microUsd, counted: new Set([mark]) },
        setOnce: { [TTL_ATTRIBUTE]: Math.ceil((spent.at + KEPT_MS) / 1000) },
        when: [{ path: "counted", is: "lacks", value: mark }],
      });
      return conditional("spend.add", () =>
        doc.send(
          new UpdateCommand({
            TableName: tables.control,
            Key: keyOf(ownerUid, workflowId, dayOf(spent.at)),
            ...write,
          }),
        ),
      );
    },
  };
}
export type SpendStore = ReturnType<typeof createSpendStore>;
