import { BatchGetCommand, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { updateExpressions, type ConditionalWrite } from "../core/conditional-write.ts";
import { AppError } from "../core/errors.ts";
import { CONTROL } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import {
  isSame,
  limitsOf,
  markOf,
  parseDayRow,
  releaseWrite,
  reserveWrite,
  settleWrite,
  timelinessOf,
  type Cost,
  type Day,
  type DayRow,
  type Reserved,
} from "./day-row.ts";
import { dayOf, type DayBudget, type Spend } from "./day.ts";

/** A row's condition names what a question has reserved; another runner of its run may change that a few times. */
const TRIES = 5;

/** What workflows spend, one row a workflow and day; one for the library's day where that has a limit. */
export function createSpendStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const TableName = tables.control;
  const partition = (ownerUid: string, workflowId: string | null): string =>
    workflowId === null ? `spend#${ownerUid}` : `spend#${ownerUid}#${workflowId}`;
  const keyOf = ({ ownerUid, workflowId, at }: Day) => ({
    [CONTROL.key]: partition(ownerUid, workflowId),
    [CONTROL.sort]: dayOf(at),
  });

  async function read(day: Day): Promise<DayRow> {
    const { Item } = await storage("spend.read", () =>
      doc.send(new GetCommand({ TableName, Key: keyOf(day), ConsistentRead: true })),
    );
    return parseDayRow(Item);
  }

  const write = (day: Day, made: ConditionalWrite): Promise<boolean> =>
    conditional(`spend.${made.name}`, () =>
      doc.send(new UpdateCommand({ TableName, Key: keyOf(day), ...updateExpressions(made) })),
    );

  const busy = (operation: string) =>
    new AppError("storage_throttled", `${operation}: the row changed each time`, {
      operation,
      requestId: undefined,
    });

  return {
    /** What was spent on the day of a time, read consistently: a pass decides by it. */
    async spentOn(ownerUid: string, workflowId: string | null, at: number): Promise<Spend> {
      const { tokens, microUsd } = await read({ ownerUid, workflowId, at });
      return { tokens, microUsd };
    },

    /**
     * Reserves for one question, in place of what it had reserved before: a repeat, or the next runner of its run,
     * cannot add twice. Undefined when it is reserved; else the row that leaves no room. Null is no limit.
     */
    async reserve(
      day: Day,
      slot: string,
      wanted: Reserved,
      limit: DayBudget | null,
    ): Promise<DayRow | undefined> {
      let known: Reserved | undefined;
      for (let attempt = 0; attempt < TRIES; attempt++) {
        if (await write(day, reserveWrite(day, slot, { known, wanted, limit }))) return undefined;
        const row = await read(day);
        const current = row.reserved.get(slot);
        const isKnown = current === undefined ? known === undefined : isSame(known, current);
        if (isKnown && limit && !hasRoom(row, wanted, current, limit)) return row;
        known = current;
      }
      throw busy("spend.reserve");
    },

    /** Gives back what a question has reserved, if it still has; or, named, exactly that reservation. */
    async release(day: Day, slot: string, named?: Reserved): Promise<void> {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const known = named ?? (await read(day)).reserved.get(slot);
        if (!known || (await write(day, releaseWrite(slot, known))) || named) return;
      }
      throw busy("spend.release");
    },

    /**
     * Counts what a piece of work cost, in place of what its question had reserved, on the day of its begin. The
     * same token again adds nothing, so a repeat after a crash or a lost answer counts once. A runner that comes back
     * late leaves alone what a later epoch has reserved.
     */
    async settle(day: Day, slot: string, cost: Cost & { token: string; epoch: number }): Promise<boolean> {
      const mark = markOf(cost.token);
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const row = await read(day);
        if (row.counted.has(mark)) return false;
        const current = row.reserved.get(slot);
        const isLater = current !== undefined && current.epoch > cost.epoch;
        const known = isLater ? undefined : current;
        // Of the library only money is limited: what is free needs no row there.
        if (!known && day.workflowId === null && cost.microUsd === 0) return false;
        const timeliness = timelinessOf(row, day.at);
        // Its mark would be forgotten: it may have been counted, unless its reservation still stands.
        if (timeliness === "forgotten" && !known) return false;
        const made = settleWrite(day, cost, {
          mark: timeliness === "forgotten" ? null : mark,
          timeliness: timeliness === "on time" ? "on time" : "late",
          slot: isLater ? null : slot,
          known,
        });
        if (await write(day, made)) return true;
      }
      throw busy("spend.settle");
    },

    /** The same where no day has a limit, so that nothing is reserved: one write and no read; a second one for what comes late. */
    async addOnce(
      ownerUid: string,
      workflowId: string,
      spent: Spend & Partial<Cost> & { at: number; token: string },
    ): Promise<boolean> {
      const { at, token, ...cost } = spent;
      const whole: Cost = { calls: 1, unpriced: 0, model: null, asOf: null, ...cost };
      const day = { ownerUid, workflowId, at };
      const given = { mark: markOf(token), slot: null, known: undefined };
      return (
        (await write(day, settleWrite(day, whole, { ...given, timeliness: "on time" }))) ||
        write(day, settleWrite(day, whole, { ...given, timeliness: "late" }))
      );
    },

    /**
     * An owner's rows from one day to another, the newest `limit` of them; `cutDay` is the day at which there were
     * too many. A list, never a decision: the index lags.
     */
    async rowsOf(
      ownerUid: string,
      { from, to, limit }: { from: string; to: string; limit: number },
    ): Promise<{ rows: DayRow[]; cutDay: string | null }> {
      const keys: Record<string, unknown>[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const page = await storage("spend.list", () =>
          doc.send(
            new QueryCommand({
              TableName,
              IndexName: CONTROL.byOwner.index,
              KeyConditionExpression: "#owner = :owner AND #sort BETWEEN :from AND :to",
              ExpressionAttributeNames: { "#owner": CONTROL.byOwner.key, "#sort": CONTROL.byOwner.sort },
              ExpressionAttributeValues: { ":owner": ownerUid, ":from": from, ":to": to },
              ScanIndexForward: false,
              Limit: limit + 1,
              ExclusiveStartKey: start,
            }),
          ),
        );
        const { key, sort } = CONTROL;
        for (const row of page.Items ?? []) {
          if (String(row[key]).startsWith("spend#")) keys.push({ [key]: row[key], [sort]: row[sort] });
        }
        start = page.LastEvaluatedKey;
      } while (start && keys.length <= limit);
      const rows: DayRow[] = [];
      // BatchGetItem takes at most 100 keys: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
      for (let at = 0; at < Math.min(keys.length, limit); at += 100) {
        let left = keys.slice(at, Math.min(at + 100, limit));
        for (let attempt = 0; left.length > 0; attempt++) {
          if (attempt === TRIES) throw busy("spend.list");
          const answer = await storage("spend.list", () =>
            doc.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: left } } })),
          );
          rows.push(...(answer.Responses?.[TableName] ?? []).map(parseDayRow));
          left = (answer.UnprocessedKeys?.[TableName]?.Keys ?? []) as typeof left;
        }
      }
      const cut = keys[limit];
      return { rows, cutDay: cut ? String(cut[CONTROL.sort]) : null };
    },
  };
}
export type SpendStore = ReturnType<typeof createSpendStore>;

function hasRoom(row: DayRow, wanted: Reserved, current: Reserved | undefined, limit: DayBudget): boolean {
  return limitsOf(limit).every(({ unit, amount }) => {
    const more = wanted[unit] - (current?.[unit] ?? 0);
    return more <= 0 || row.committed[unit] + more <= amount;
  });
}
