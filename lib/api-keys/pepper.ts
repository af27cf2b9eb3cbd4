import { createHmac } from "node:crypto";

/** The key of the HMAC over API keys, under the name that records know it by. */
export type Pepper = { pepperId: string; secret: string };

/** The pepper that new keys are made under, and while keys move to it the one before. */
export type Peppers = { current: Pepper; previous?: Pepper };

/**
 * The peppers in use. Given the id on a record, they are looked up again when they are old and lack it: somebody
 * has rotated them since this container started.
 */
export type PepperSource = (wanted?: string) => Promise<Peppers>;

/** Peppers by their secrets. The id is made of the secret, so that a rotation has nothing else to keep in step. */
export const peppersOf = (current: string, previous?: string): Peppers => ({
  current: pepperOf(current),
  ...(previous && previous !== current && { previous: pepperOf(previous) }),
});

/** The pepper that a record was made with; undefined when it is neither of those in use. */
export const pepperBy = ({ current, previous }: Peppers, pepperId: string): Pepper | undefined =>
  [current, previous].find((pepper) => pepper?.pepperId === pepperId);

/** The key of one owner's cursors: nothing can be found of the pepper by it, and nothing signed by it. */
export const cursorKeyOf = ({ secret }: Pick<Pepper, "secret">, ownerUid: string): string =>
  createHmac("sha256", secret).update(`cursor\0${ownerUid}`).digest("base64url");

const pepperOf = (secret: string): Pepper => ({
  pepperId: createHmac("sha256", secret).update("pepper id").digest("hex").slice(0, 16),
  secret,
});
