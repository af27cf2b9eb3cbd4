import type { Message } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Outcome } from "./functions/function-instance.ts";

/** The event with which Lambda hands a batch of messages to a function. */
export function sqsEvent(messages: readonly Message[], queue: { name: string; region: string }): SQSEvent {
  return {
    Records: messages.map((message): SQSRecord => ({
      messageId: message.MessageId ?? "",
      receiptHandle: message.ReceiptHandle ?? "",
      body: message.Body ?? "",
      attributes: (message.Attributes ?? {}) as unknown as SQSRecord["attributes"],
      messageAttributes: Object.fromEntries(
        Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
          name,
          {
            dataType: value.DataType ?? "String",
            ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
            ...(value.BinaryValue && { binaryValue: Buffer.from(value.BinaryValue).toString("base64") }),
          },
        ]),
      ),
      md5OfBody: message.MD5OfBody ?? "",
      eventSource: "aws:sqs",
      eventSourceARN: `arn:aws:sqs:${queue.region}:000000000000:${queue.name}`,
      awsRegion: queue.region,
    })),
  };
}

/**
 * The messages that are to come again: those that the function names, or all of them when it failed or named one
 * that it was not given (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html).
 */
export function failedMessages(messages: readonly Message[], outcome: Outcome): readonly Message[] {
  if (!outcome.ok) return messages;
  const answer = JSON.parse(outcome.payload) as Partial<SQSBatchResponse> | null;
  const named = new Set((answer?.batchItemFailures ?? []).map((failure) => failure.itemIdentifier));
  const failed = messages.filter((message) => named.has(message.MessageId ?? ""));
  return failed.length === named.size ? failed : messages;
}
