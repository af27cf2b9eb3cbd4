/** What the host has answered with success: none of it may be lost, whatever is killed afterwards. */
export type Acknowledged = {
  items: Map<string, Enqueued>;
  /** By run. */
  decisions: { runId: string; holdId: string; verdict: string }[];
  edits: { memoId: string; contentVersion: number; text: string }[];
  cancelled: Set<string>;
};

export type Enqueued = {
  command: string;
  topic: string;
  dedupeKey: string;
  itemId: string;
  runId: string;
  held: boolean;
};

export const nothingAcknowledged = (): Acknowledged => ({
  items: new Map(),
  decisions: [],
  edits: [],
  cancelled: new Set(),
});
