import { createHash } from "node:crypto";

/** A sha-256 as `sha256:` and 64 hexadecimal digits. */
export type Sha256 = `sha256:${string}`;

/** The length of a text in UTF-8 bytes, which is what every ceiling counts. */
export const utf8Bytes = (text: string): number => Buffer.byteLength(text, "utf8");

/** The sha-256 of a text's UTF-8 bytes. */
export const sha256 = (text: string): Sha256 =>
  `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
