import { createHash, timingSafeEqual } from "node:crypto";

/** In constant time, over digests of one length. */
export function sameSecret(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
