import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { FunctionDeclaration, QueueName } from "../topology.ts";
import type { Outcome } from "./functions/function-instance.ts";
import { instancesOf } from "./hosted-functions.ts";
import { failedMessages, sqsEvent } from "./sqs-event.ts";

export type PollerOptions = {
  sqs: SQSClient;
  queue: { name: string; url: string; region: string };
  batchSize: number;
  /** Batches that may be with the function at once. */
  maxConcurrency: number;
  /** Longer than the function may take, or a message is handed out twice. */
  visibilitySec: number;
  invoke: (event: unknown) => Promise<Outcome>;
  onError: (error: unknown) => void;
};

/** The longest that SQS lets a receive wait. */
const WAIT_SEC = 20;
/** Time before the next attempt after the queue did not answer. */
const PAUSE_MS = 1000;
/** Time that a function may take to load, beside its timeout. */
const INIT_SEC = 30;
/** Longest time before a failed message is handed out again. */
const BACKOFF_MAX_SEC = 30;

/** Hands the messages of a queue to its function until it is stopped, as Lambda's own poller does. */
export function startPoller(options: PollerOptions): { stop(): Promise<void> } {
  const { sqs, queue, batchSize, maxConcurrency } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (running.size >= maxConcurrency) await Promise.race(running);
      else await receive();
    }
  }

  async function receive(): Promise<void> {
    try {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queue.url,
          MaxNumberOfMessages: batchSize,
          WaitTimeSeconds: WAIT_SEC,
          VisibilityTimeout: options.visibilitySec,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        }),
        { abortSignal: stopping.signal },
      );
      if (Messages.length === 0) return;
      const delivery: Promise<void> = deliver(Messages)
        .catch(options.onError)
        .finally(() => running.delete(delivery));
      running.add(delivery);
    } catch (error) {
      if (stopping.signal.aborted) return;
      options.onError(error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async function deliver(messages: Message[]): Promise<void> {
    const outcome = await options.invoke(sqsEvent(messages, queue));
    // The function was cut off by the stop: the next start hands its messages out again.
    if (!outcome.ok && stopping.signal.aborted) return;
    const failed = failedMessages(messages, outcome);
    const done = messages.filter((message) => !failed.includes(message));
    await Promise.all([remove(done), release(failed)]);
  }

  async function remove(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const Entries = messages.map((message, at) => ({ Id: String(at), ReceiptHandle: message.ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
  }

  async function release(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const Entries = messages.map((message, at) => ({
      Id: String(at),
      ReceiptHandle: message.ReceiptHandle,
      VisibilityTimeout: backoffSec(Number(message.Attributes?.ApproximateReceiveCount ?? 1)),
    }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queue.url, Entries }));
  }

  const polling = poll();
  return {
    async stop() {
      stopping.abort();
      await polling;
      await Promise.all(running);
    },
  };
}

/** A poller for each function that a queue feeds. */
export function startPollers(
  declared: Readonly<Record<string, FunctionDeclaration>>,
  host: {
    sqs: SQSClient;
    region: string;
    queueUrls: Readonly<Record<QueueName, string>>;
    invoke: (name: string, event: unknown) => Promise<Outcome>;
    onError: (error: unknown) => void;
  },
): { stop(): Promise<void> } {
  const pollers = Object.entries(declared).flatMap(([functionName, declaration]) => {
    const { queue, timeoutSec } = declaration;
    if (!queue) return [];
    return startPoller({
      sqs: host.sqs,
      queue: { name: queue.name, url: host.queueUrls[queue.name], region: host.region },
      batchSize: queue.batchSize,
      maxConcurrency: instancesOf(declaration),
      visibilitySec: timeoutSec + INIT_SEC,
      invoke: (event) => host.invoke(functionName, event),
      onError: host.onError,
    });
  });
  return { stop: async () => void (await Promise.all(pollers.map((poller) => poller.stop()))) };
}

/** 1, 2, 4 … seconds by deliveries. Never 0, which loses the message in the embedded engine. */
const backoffSec = (deliveries: number): number =>
  Math.min(2 ** Math.max(0, deliveries - 1), BACKOFF_MAX_SEC);
