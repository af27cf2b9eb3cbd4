/** Counts calls by operation name in memory that an engine's thread and the host share, so a reading is exact. */
export type OperationCounter = {
  buffer: SharedArrayBuffer;
  add(operation: string): void;
  /** Operations called since the last reset. */
  read(): Record<string, number>;
  reset(): void;
};

const OTHER = "other";

/** A counter over known operations; unknown ones are counted together as `other`. */
export function operationCounter(
  operations: readonly string[],
  buffer = new SharedArrayBuffer((operations.length + 1) * Int32Array.BYTES_PER_ELEMENT),
): OperationCounter {
  const counts = new Int32Array(buffer);
  const names = [...operations, OTHER];
  const positions = new Map(names.map((name, position) => [name, position]));
  return {
    buffer,
    add: (operation) => void Atomics.add(counts, positions.get(operation) ?? operations.length, 1),
    read: () =>
      Object.fromEntries(
        names.flatMap((name, position) => {
          const count = Atomics.load(counts, position);
          return count > 0 ? [[name, count]] : [];
        }),
      ),
    reset: () => void counts.fill(0),
  };
}

export const DYNAMODB_OPERATIONS = [
  "BatchGetItem",
  "BatchWriteItem",
  "CreateTable",
  "DeleteItem",
  "DescribeTable",
  "GetItem",
  "ListTables",
  "PutItem",
  "Query",
  "Scan",
  "UpdateItem",
] as const;

export const SQS_OPERATIONS = [
  "ChangeMessageVisibility",
  "ChangeMessageVisibilityBatch",
  "CreateQueue",
  "DeleteMessage",
  "DeleteMessageBatch",
  "GetQueueAttributes",
  "GetQueueUrl",
  "ListQueues",
  "ReceiveMessage",
  "SendMessage",
  "SendMessageBatch",
  "SetQueueAttributes",
] as const;
