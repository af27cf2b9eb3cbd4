import { PutCommand, QueryCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { conditionExpressions } from "../../core/conditional-write.ts";
import { digestOf } from "../../core/ids.ts";
import { LEDGER, padded } from "../../core/keys.ts";
import { conditional, storage } from "../../core/storage-error.ts";
import { EdgeEvidence, EVIDENCE_SHOWN } from "../edge.ts";

/** What was said of edges, in the ledger: rows are put where none is, and never changed or taken away. */
export function createEdgeEvidence(doc: DynamoDBDocumentClient, tables: { ledger: string }) {
  const streamOf = (ownerUid: string, edgeId: string) => `edge#${ownerUid}#${edgeId}`;

  /** False when the row is there. */
  const putOnce = (operation: string, Item: Record<string, unknown>) =>
    conditional(operation, () =>
      doc.send(
        new PutCommand({
          TableName: tables.ledger,
          Item,
          ...conditionExpressions([{ path: LEDGER.key, is: "absent" }]),
        }),
      ),
    );

  return {
    /** Puts a report on record, by its token once, and says whether its run is a new one for this edge. */
    async addEvidence(
      ownerUid: string,
      edgeId: string,
      token: string,
      evidence: EdgeEvidence,
    ): Promise<{ isNew: boolean; isNewRun: boolean }> {
      const stream = streamOf(ownerUid, edgeId);
      const isNew = await putOnce("edges.token", {
        [LEDGER.key]: stream,
        [LEDGER.sort]: `TOKEN#${digestOf([token])}`,
      });
      if (!isNew) return { isNew, isNewRun: false };
      const isNewRun =
        evidence.runId !== null &&
        (await putOnce("edges.run", { [LEDGER.key]: stream, [LEDGER.sort]: `RUN#${evidence.runId}` }));
      await putOnce("edges.evidence", {
        ...evidence,
        [LEDGER.key]: stream,
        [LEDGER.sort]: `SAID#${padded(evidence.at)}#${digestOf([token])}`,
      });
      return { isNew, isNewRun };
    },

    /** The newest reports of an edge, newest first. */
    async evidence(ownerUid: string, edgeId: string, limit = EVIDENCE_SHOWN): Promise<EdgeEvidence[]> {
      const { Items = [] } = await storage("edges.evidence", () =>
        doc.send(
          new QueryCommand({
            TableName: tables.ledger,
            KeyConditionExpression: "#stream = :stream AND begins_with(#seq, :said)",
            ExpressionAttributeNames: { "#stream": LEDGER.key, "#seq": LEDGER.sort },
            ExpressionAttributeValues: { ":stream": streamOf(ownerUid, edgeId), ":said": "SAID#" },
            ScanIndexForward: false,
            ConsistentRead: true,
            Limit: limit,
          }),
        ),
      );
      return Items.map((item) => EdgeEvidence.parse(item));
    },
  };
}
