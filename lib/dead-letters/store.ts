import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { storage } from "../core/storage-error.ts";

/** A queue of doorbells, and the one behind it for those that were delivered too often. */
export type QueueUrls = { source: string; deadLetters: string };

export type DoorbellQueue = "run" | "wake";

/** A message that was given up, as a receive hands it out. */
export type DeadLetter = {
  messageId: string;
  receiptHandle: string;
  body: string;
  receivedCount: number;
  /** When it was first sent. */
  sentAt: number;
};

/** The most that one receive answers: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html */
export const RECEIVE_MAX = 10;

/** A long poll asks every server of the queue; a short one may miss a message that is there. */
const WAIT_SEC = 1;

const COUNTS = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;

/** Dead letters over SQS, by the plainest of its calls, which every SQS answers alike. */
export function createDeadLetterStore(sqs: SQSClient, urls: Record<DoorbellQueue, QueueUrls>) {
  return {
    /** How many there are, those that somebody looks at just now included. As SQS has it: near, not exact. */
    async count(queue: DoorbellQueue): Promise<number> {
      const { Attributes = {} } = await storage("dead-letters.count", () =>
        sqs.send(
          new GetQueueAttributesCommand({
            QueueUrl: urls[queue].deadLetters,
            AttributeNames: [...COUNTS],
          }),
        ),
      );
      return COUNTS.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
    },

    /** Some of them, out of everybody else's sight for a while. */
    async receive(queue: DoorbellQueue, limit: number, hiddenSec: number): Promise<DeadLetter[]> {
      const { Messages = [] } = await storage("dead-letters.receive", () =>
        sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: urls[queue].deadLetters,
            MaxNumberOfMessages: Math.min(RECEIVE_MAX, limit),
            VisibilityTimeout: hiddenSec,
            WaitTimeSeconds: WAIT_SEC,
            MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp"],
          }),
        ),
      );
      return Messages.map(({ MessageId = "", ReceiptHandle = "", Body = "", Attributes = {} }) => ({
        messageId: MessageId,
        receiptHandle: ReceiptHandle,
        body: Body,
        receivedCount: Number(Attributes.ApproximateReceiveCount ?? 0),
        sentAt: Number(Attributes.SentTimestamp ?? 0),
      }));
    },

    /** Gives received ones back at once; one that cannot be given back is seen again when its time is over. */
    async giveBack(queue: DoorbellQueue, letters: readonly DeadLetter[]): Promise<void> {
      for (let start = 0; start < letters.length; start += RECEIVE_MAX) {
        const Entries = letters.slice(start, start + RECEIVE_MAX).map(({ receiptHandle }, at) => ({
          Id: String(at),
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: 0,
        }));
        await storage("dead-letters.giveBack", () =>
          sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: urls[queue].deadLetters, Entries })),
        );
      }
    },

    /** Puts one into the queue that it came from, as it was. */
    async sendBack(queue: DoorbellQueue, { body }: DeadLetter): Promise<void> {
      await storage("dead-letters.sendBack", () =>
        sqs.send(new SendMessageCommand({ QueueUrl: urls[queue].source, MessageBody: body })),
      );
    },

    async remove(queue: DoorbellQueue, { receiptHandle }: DeadLetter): Promise<void> {
      await storage("dead-letters.remove", () =>
        sqs.send(
          new DeleteMessageCommand({ QueueUrl: urls[queue].deadLetters, ReceiptHandle: receiptHandle }),
        ),
      );
    },
  };
}
export type DeadLetterStore = ReturnType<typeof createDeadLetterStore>;
