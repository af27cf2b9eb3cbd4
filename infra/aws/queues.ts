import { Duration } from "aws-cdk-lib";
import { CfnQueue, Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import {
  FUNCTIONS,
  QUEUES,
  type FunctionDeclaration,
  type QueueDeclaration,
  type QueueName,
} from "../topology.ts";
import { logicalName } from "./names.ts";

export type DoorbellQueue = { queue: Queue; deadLetters: Queue };
export type Queues = Record<QueueName, DoorbellQueue>;

/** Longer than any outage of the consumer we would ride out; the five-minute rules ring again anyway. */
const RETENTION = Duration.days(4);
/** The most SQS allows, and longer than RETENTION: the evidence must outlive the queue it came from. */
const DEAD_LETTER_RETENTION = Duration.days(14);
/** AWS asks for at least 6 x the function's timeout: Lambda's own retries of a throttled batch fit inside. */
const VISIBILITY_FACTOR = 6;
/** <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html> */
const MAX_VISIBILITY_SEC = 12 * 60 * 60;

/** Every declared queue with its dead-letter queue. */
export function createQueues(scope: Construct): Queues {
  const entries = Object.entries<QueueDeclaration>(QUEUES).map(([name, declaration]) => [
    name,
    createQueue(scope, name as QueueName, declaration),
  ]);
  return Object.fromEntries(entries) as Queues;
}

/** Where Lambda and EventBridge put the rounds that failed or could not be started; each is evidence and no work. */
export function createFailures(scope: Construct): Queue {
  const failures = new Queue(scope, "ScheduleFailures", {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: DEAD_LETTER_RETENTION,
  });
  pin(failures, "ScheduleFailures");
  return failures;
}

function createQueue(scope: Construct, name: QueueName, declaration: QueueDeclaration): DoorbellQueue {
  const id = `${logicalName(name)}Queue`;
  const shared = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
  const deadLetters = new Queue(scope, `${logicalName(name)}DeadLetters`, {
    ...shared,
    retentionPeriod: DEAD_LETTER_RETENTION,
  });
  const queue = new Queue(scope, id, {
    ...shared,
    retentionPeriod: RETENTION,
    visibilityTimeout: Duration.seconds(visibilitySec(name)),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: declaration.maxReceiveCount },
  });
  pin(queue, id);
  pin(deadLetters, `${logicalName(name)}DeadLetters`);
  return { queue, deadLetters };
}

// A changed logical id would drop the messages that wait.
const pin = (queue: Queue, id: string) => (queue.node.defaultChild as CfnQueue).overrideLogicalId(id);

/** From the slowest function that the queue feeds; a shorter one hands the same doorbell out twice. */
function visibilitySec(name: QueueName): number {
  const consumers = Object.values<FunctionDeclaration>(FUNCTIONS).filter((fn) => fn.queue?.name === name);
  const slowest = Math.max(30, ...consumers.map((fn) => fn.timeoutSec));
  return Math.min(slowest * VISIBILITY_FACTOR, MAX_VISIBILITY_SEC);
}
