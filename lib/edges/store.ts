import { GetCommand, QueryCommand, UpdateCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { conditionExpressions, updateExpressions } from "../core/conditional-write.ts";
import { AppError } from "../core/errors.ts";
import { CONTROL } from "../core/keys.ts";
import { conditional, isConditionFailed, storage } from "../core/storage-error.ts";
import { Edge } from "./edge.ts";
import { createEdgeEvidence } from "./evidence/store.ts";

type Counted = Pick<Edge, "ownerUid" | "edgeId" | "kind" | "subject" | "question" | "workflowId">;

/** States that a new report opens again. */
const REOPENED = ["resolved", "stale"];

const keyOf = (ownerUid: string, edgeId: string) => ({
  [CONTROL.key]: `edge#${ownerUid}`,
  [CONTROL.sort]: edgeId,
});

/** Reads edges, all of an owner under one key. */
export function createEdgeReader(doc: DynamoDBDocumentClient, tables: { control: string }) {
  return {
    async read(ownerUid: string, edgeId: string): Promise<Edge | undefined> {
      const { Item } = await storage("edges.read", () =>
        doc.send(
          new GetCommand({ TableName: tables.control, Key: keyOf(ownerUid, edgeId), ConsistentRead: true }),
        ),
      );
      return Item && edgeOf(Item);
    },

    /** Every edge of the owner: as many as there are subjects, since reports of one subject are one edge. */
    async list(ownerUid: string): Promise<Edge[]> {
      const edges: Edge[] = [];
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const page = await storage("edges.list", () =>
          doc.send(
            new QueryCommand({
              TableName: tables.control,
              KeyConditionExpression: "#pk = :pk",
              ExpressionAttributeNames: { "#pk": CONTROL.key },
              ExpressionAttributeValues: { ":pk": `edge#${ownerUid}` },
              ConsistentRead: true,
              ExclusiveStartKey,
            }),
          ),
        );
        edges.push(...(page.Items ?? []).map(edgeOf));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return edges;
    },
  };
}

/** Edges in Control; what was said of them in the ledger. */
export function createEdgeStore(doc: DynamoDBDocumentClient, tables: { control: string; ledger: string }) {
  return {
    ...createEdgeReader(doc, tables),
    ...createEdgeEvidence(doc, tables),

    /** One more report. A first one makes the edge; one of a resolved or a stale edge opens it again. */
    async count(
      counted: Counted,
      { isNewRun, tokens, at }: { isNewRun: boolean; tokens: number; at: number },
    ): Promise<Pick<Edge, "count" | "state">> {
      const { ownerUid, edgeId, kind, subject, question, workflowId } = counted;
      const more = {
        set: { question, lastSeenAt: at, ...(workflowId !== null && { workflowId }) },
        setOnce: { edgeId, kind, subject, edgeOwner: ownerUid, firstSeenAt: at },
        add: { count: 1, runsAffected: isNewRun ? 1 : 0, tokensSpent: tokens },
      };
      const write = async (part: {
        state?: "open";
        reopened?: number;
        when: Parameters<typeof conditionExpressions>[0];
      }) => {
        const expressions = updateExpressions({
          name: "count",
          set: { ...more.set, ...(part.reopened && { state: "open" }) },
          setOnce: { ...more.setOnce, ...(part.reopened ? {} : { state: "open" }) },
          add: { ...more.add, reopenCount: part.reopened ?? 0 },
          ...(part.reopened && { remove: ["resolution"] }),
          when: part.when,
        });
        try {
          const { Attributes = {} } = await storage("edges.count", () =>
            doc.send(
              new UpdateCommand({
                TableName: tables.control,
                Key: keyOf(ownerUid, edgeId),
                ...expressions,
                ReturnValues: "ALL_NEW",
              }),
            ),
          );
          return edgeOf(Attributes);
        } catch (error) {
          if (isConditionFailed(error)) return undefined;
          throw error;
        }
      };
      const settled = { path: "state", is: "in", values: REOPENED } as const;
      const unsettled = {
        any: [
          [{ path: "state", is: "absent" }],
          [{ path: "state", is: "in", values: ["open", "acknowledged", "answered", "wont_fix"] }],
        ],
      } as const;
      // Between the two tries a person may move it once; a third try has seen both sides.
      for (let tries = 0; tries < 3; tries++) {
        const counted =
          (await write({ when: [unsettled] })) ?? (await write({ reopened: 1, when: [settled] }));
        if (counted) return counted;
      }
      throw new AppError("storage_throttled", `edge ${edgeId} moves faster than it can be counted`, {
        operation: "edges.count",
        requestId: undefined,
      });
    },

    /** The edge in its next state; undefined when it has moved, or was met again, since it was read. */
    async move(
      edge: Edge,
      to: Pick<Edge, "state"> & Partial<Pick<Edge, "answer" | "resolution">>,
    ): Promise<Edge | undefined> {
      const write = updateExpressions({
        name: "move edge",
        set: to,
        when: [
          { path: "state", is: "=", value: edge.state },
          { path: "count", is: "=", value: edge.count },
        ],
      });
      const moved = await conditional("edges.move", () =>
        doc.send(
          new UpdateCommand({ TableName: tables.control, Key: keyOf(edge.ownerUid, edge.edgeId), ...write }),
        ),
      );
      return moved ? { ...edge, ...to } : undefined;
    },
  };
}
export type EdgeStore = ReturnType<typeof createEdgeStore>;

const edgeOf = (row: Record<string, unknown>): Edge =>
  Edge.parse({ workflowId: null, answer: null, resolution: null, ...row, ownerUid: row["edgeOwner"] });
