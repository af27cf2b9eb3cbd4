import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { DOORBELL_VERSION, type Doorbells } from "./doorbell.ts";

// SQS takes at most 10 entries a batch and delays of at most 900 s:
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
const BATCH_MAX = 10;
const DELAY_MAX_SEC = 900;

/** SQS took a batch and not all of its entries. */
class PartialBatch extends Error {
  override name = "PartialBatch";
}

/** Doorbells over SQS. `onFailure` is told of a bell that could not be rung, by the error's name alone. */
export function createDoorbells(
  sqs: SQSClient,
  urls: { wake?: string; run?: string },
  onFailure: (queue: "wake" | "run", reason: string) => void,
): Doorbells {
  const failed = (queue: "wake" | "run", error: unknown): false => {
    onFailure(queue, error instanceof Error ? error.name : "unknown");
    return false;
  };
  return {
    async ringWake() {
      try {
        await sqs.send(
          new SendMessageCommand({
            QueueUrl: urls.wake,
            MessageBody: JSON.stringify({ v: DOORBELL_VERSION }),
          }),
        );
        return true;
      } catch (error) {
        return failed("wake", error);
      }
    },

    async ringRuns(bells) {
      let rung = true;
      for (let start = 0; start < bells.length; start += BATCH_MAX) {
        const entries = bells.slice(start, start + BATCH_MAX).map(({ runId, epoch, delaySec }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify({ v: DOORBELL_VERSION, runId, epoch }),
          ...(delaySec && { DelaySeconds: Math.min(delaySec, DELAY_MAX_SEC) }),
        }));
        try {
          const { Successful = [] } = await sqs.send(
            new SendMessageBatchCommand({ QueueUrl: urls.run, Entries: entries }),
          );
          // By name and not by number: an entry in neither list was not sent either.
          const sent = new Set(Successful.map(({ Id }) => Id));
          if (!entries.every(({ Id }) => sent.has(Id))) rung = failed("run", new PartialBatch());
        } catch (error) {
          rung = failed("run", error);
        }
      }
      return rung;
    },
  };
}
