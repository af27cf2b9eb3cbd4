import type { Gate } from "./run.ts";

/** Shares of a hold's life after which its people are reminded, before it expires. */
const REMINDED_AT = [0.5, 0.9] as const;

/** The next time after a moment at which a hold asks for something: a reminder, or its expiry. */
export function deadlineAfter({ openedAt, expiresAt }: Gate, at: number): number {
  const reminders = REMINDED_AT.map((share) => openedAt + Math.floor((expiresAt - openedAt) * share));
  return reminders.find((time) => time > at) ?? expiresAt;
}
