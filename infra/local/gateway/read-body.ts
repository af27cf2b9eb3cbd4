import type { IncomingMessage } from "node:http";

/** Lambda takes events of 6 MB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const BODY_MAX_BYTES = 6 * 1024 * 1024;

/** Beyond this even the patience of reading on and dropping ends. */
const DROPPED_MAX_BYTES = 64 * 1024 * 1024;

/**
 * The whole body, or how large it is when it is too large. What is too large is still read, and dropped: a
 * client that is cut off while it sends never sees the answer.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | { actual: number }> {
  const chunks: Buffer[] = [];
  let actual = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    actual += chunk.length;
    if (actual <= BODY_MAX_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (actual > DROPPED_MAX_BYTES) break;
  }
  return actual > BODY_MAX_BYTES ? { actual } : Buffer.concat(chunks);
}
