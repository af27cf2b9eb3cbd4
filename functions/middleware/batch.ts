import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { digestOf } from "../../lib/core/ids.ts";
import type { Metrics } from "../../lib/core/metrics.ts";
import { errorFields, type Log } from "./log.ts";

/**
 * Messages of a queue, one by one. One that is not of the form is acknowledged and counted, with a digest in the
 * log: it would fail for ever. One whose work throws goes back to the queue, and only that one.
 */
export function batchHandler<S extends z.ZodType>(
  deps: { log: Log; metrics?: Metrics | undefined },
  schema: S,
  work: (message: z.infer<S>) => Promise<void>,
): (event: SQSEvent) => Promise<SQSBatchResponse> {
  return async (event) => {
    const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
    let poisonous = 0;
    for (const { messageId, body } of event.Records) {
      const message = parsed(schema, body);
      if (!message) {
        poisonous++;
        deps.log.warn("poison message", {
          messageId,
          bytes: Buffer.byteLength(body),
          digest: digestOf([body]),
        });
        continue;
      }
      try {
        await work(message.value);
      } catch (error) {
        deps.log.error("message failed", { messageId, ...errorFields(error) });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    deps.metrics?.emit({ PoisonMessages: poisonous });
    return { batchItemFailures };
  };
}

function parsed<S extends z.ZodType>(schema: S, body: string): { value: z.infer<S> } | undefined {
  try {
    const result = schema.safeParse(JSON.parse(body));
    return result.success ? { value: result.data } : undefined;
  } catch {
    // Not JSON at all: as poisonous as JSON of another form.
    return undefined;
  }
}
