import { digestOf, isId, type Id } from "../core/ids.ts";
import { padded } from "../core/keys.ts";

/** What an owner is told of. hold_reminder: a hold still waits, and so much of its time is over. */
export const NOTICE_KINDS = ["hold_reminder", "hold_expired", "run_failed"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One thing that an owner is told, once. */
export type Notice = {
  noticeId: Id<"notice">;
  kind: NoticeKind;
  /** When it came about; not when it was written. */
  at: number;
  runId: string;
  workflowId: string;
  /** The workflow's title, where the run had got as far as to have one. */
  title: string | null;
  holdId?: string;
  /** How much of the hold's time is over, in percent. */
  percent?: number;
  expiresAt?: number;
  error?: { code: string; class: string; message: string };
  readAt: number | null;
};

/** What a notice is about; its id is made of this, so that a repeat is the same notice. */
export type NoticeSubject = Pick<Notice, "kind" | "at" | "runId"> & { holdId?: string | undefined };

/** Names the row's place: time first, so that an id finds its row and rows sort by time. */
export const noticeIdOf = ({ kind, at, runId, holdId = "" }: NoticeSubject): Id<"notice"> =>
  `notice_${padded(at)}-${digestOf([kind, at, runId, holdId])}`;

/** The sort key of a notice; undefined for what is no id of ours. */
export const noticePlace = (noticeId: string): string | undefined =>
  isId("notice", noticeId) && /^notice_\d{15}-[0-9a-f]{30}$/.test(noticeId) ? noticeId : undefined;
