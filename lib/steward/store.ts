import { PutCommand, QueryCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { conditionExpressions } from "../core/conditional-write.ts";
import { digestOf } from "../core/ids.ts";
import { LEDGER, padded, TTL_ATTRIBUTE } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { LedgerEntry, STAGE, type Disagreement, type VerdictPayload } from "./ledger-entry.ts";

/** Verdicts are remembered for 90 days; what a person said of one is kept. */
const VERDICT_KEPT_SEC = 90 * 24 * 60 * 60;

/** Whose memory, and of which passes: what a dry run thought is read by dry runs alone. */
export type Namespace = { ownerUid: string; appId: string; mode: "real" | "dry" };

/** The verdicts of an owner's stewards, in the ledger: rows are put where none is and never changed. */
export function createVerdictLedger(doc: DynamoDBDocumentClient, tables: { ledger: string }) {
  const TableName = tables.ledger;

  /** Every part is free of the divider, so that no name reaches into another's stream. */
  const streamOf = (...parts: string[]) => ["steward", ...parts.map(encodeURIComponent)].join("#");
  const verdictsOf = ({ ownerUid, appId, mode }: Namespace) => streamOf(ownerUid, mode, appId);
  const sessionOf = (space: Namespace, sessionId: string) => `${verdictsOf(space)}#${sessionId}`;
  const disagreementsOf = (ownerUid: string, appId: string) => streamOf(ownerUid, "said", appId);

  async function putOnce(stream: string, entry: LedgerEntry, ttl?: number): Promise<void> {
    await conditional("ledger.append", () =>
      doc.send(
        new PutCommand({
          TableName,
          Item: { [LEDGER.key]: stream, [LEDGER.sort]: entry.id, ...entry, [TTL_ATTRIBUTE]: ttl },
          ...conditionExpressions([{ path: LEDGER.key, is: "absent" }]),
        }),
      ),
    );
  }

  /** The newest entries of a stream, newest first. */
  async function newest(stream: string, limit: number): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const page = await storage("ledger.newest", () =>
        doc.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "#stream = :stream",
            ExpressionAttributeNames: { "#stream": LEDGER.key },
            ExpressionAttributeValues: { ":stream": stream },
            ScanIndexForward: false,
            ConsistentRead: true,
            Limit: limit - entries.length,
            ExclusiveStartKey: start,
          }),
        ),
      );
      entries.push(...(page.Items ?? []).map((item) => LedgerEntry.parse(item)));
      start = page.LastEvaluatedKey;
    } while (start && entries.length < limit);
    return entries;
  }

  return {
    /**
     * Remembers what a run came to think of a session, once for each run and session: a repeat changes nothing,
     * whatever it says. `at` is the run's start.
     */
    async append(
      space: Namespace,
      verdict: { runId: string; at: number; payload: VerdictPayload },
    ): Promise<LedgerEntry> {
      const { runId, at, payload } = verdict;
      const { sessionId } = payload;
      const entry = entryOf({ by: "policy", kind: "note", sessionId, at, payload, of: [runId, sessionId] });
      const ttl = Math.floor(at / 1000) + VERDICT_KEPT_SEC;
      // The session's own first: it is what the next pass decides with.
      await putOnce(sessionOf(space, sessionId), entry, ttl);
      await putOnce(verdictsOf(space), entry, ttl);
      return entry;
    },

    /** Keeps that a person saw a session otherwise than the judge; once for each person, session, time and word. */
    async disagree(
      space: Pick<Namespace, "ownerUid" | "appId">,
      said: { by: string; at: number; payload: Disagreement },
    ): Promise<LedgerEntry> {
      const { by, at, payload } = said;
      const { sessionId } = payload;
      const of = [by, sessionId, payload.operatorVerdict];
      const entry = entryOf({ by, kind: "disagreement", sessionId, at, payload, of });
      await putOnce(disagreementsOf(space.ownerUid, space.appId), entry);
      await putOnce(verdictsOf({ ...space, mode: "real" }), entry);
      return entry;
    },

    /** What was thought of one session, newest first. */
    ofSession: (space: Namespace, sessionId: string, limit: number): Promise<LedgerEntry[]> =>
      newest(sessionOf(space, sessionId), limit),

    /** Verdicts, and what persons said of them, of all of an owner's sessions, newest first. */
    ofOwner: (space: Namespace, limit: number): Promise<LedgerEntry[]> => newest(verdictsOf(space), limit),

    /** What persons said otherwise, newest first. */
    disagreements: (
      { ownerUid, appId }: Pick<Namespace, "ownerUid" | "appId">,
      limit: number,
    ): Promise<LedgerEntry[]> => newest(disagreementsOf(ownerUid, appId), limit),
  };
}
export type VerdictLedger = ReturnType<typeof createVerdictLedger>;

function entryOf(of: {
  by: string;
  kind: LedgerEntry["kind"];
  sessionId: string;
  at: number;
  payload: VerdictPayload | Disagreement;
  of: readonly string[];
}): LedgerEntry {
  const { by, kind, sessionId, at, payload } = of;
  return {
    // By time, and the same for the same: a second attempt meets its first.
    id: `${padded(at)}#${digestOf([kind, ...of.of])}`,
    ts: new Date(at).toISOString(),
    stage: STAGE,
    item: sessionId,
    kind,
    by,
    payload,
  };
}
