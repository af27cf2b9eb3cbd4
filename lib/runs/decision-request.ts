import * as z from "zod";
import { canonicalJson } from "../core/canonical-json.ts";
import { digestOf } from "../core/ids.ts";
import { TITLE_MAX_LENGTH } from "../memos/memo.ts";

const WellFormed = z.string().refine((text) => text.isWellFormed(), "has half a surrogate pair");

const Said = {
  /** Of the proposal, or of the question, that was shown. */
  sha256: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'expected the hold\'s "sha256:" and 64 hexadecimal digits'),
  reason: WellFormed.max(2000).optional(),
  /** Named by a client that may repeat the request: the same id again gets the same answer. */
  decisionId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,80}$/, "expected 1 to 80 letters, digits, _ or -")
    .optional(),
};

const Reason = Said.reason
  .unwrap()
  .refine((reason) => reason.trim() !== "", "must say what is to be changed");
const Title = WellFormed.max(TITLE_MAX_LENGTH).refine((title) => title.trim() !== "", "must not be empty");
const OnVersion = z.int().min(1);

const verdict = <V extends string>(name: V) => ({ ...Said, verdict: z.literal(name) });

/** What a person says of a hold. What each kind of hold takes is known when it is looked at. */
export const DecisionRequest = z.discriminatedUnion("verdict", [
  z.strictObject(verdict("approve")),
  z
    .strictObject({ ...verdict("approve_edited"), text: WellFormed.optional(), title: Title.optional() })
    .refine(({ text, title }) => text !== undefined || title !== undefined, {
      message: "needs a text or a title",
      path: ["text"],
    }),
  z.strictObject({ ...verdict("request_changes"), reason: Reason }),
  z.strictObject(verdict("reject")),
  z.strictObject({ ...verdict("rebase"), onVersion: OnVersion, text: WellFormed.optional() }),
  z.strictObject({ ...verdict("replace"), onVersion: OnVersion }),
  z.strictObject(verdict("keep_both")),
  z.strictObject(verdict("allow_once")),
  z.strictObject(verdict("cancel")),
]);
export type DecisionRequest = z.infer<typeof DecisionRequest>;

/** 64 bits over all that a request says beside its id: the head has room for no more. */
export function saidOf({ decisionId: _id, ...said }: DecisionRequest): string {
  return digestOf([canonicalJson(said)]).slice(0, 16);
}

/** A request body's most bytes: a text of 2 MB with all that JSON may need around its characters. */
export const DECISION_MAX_BYTES = 5 * 1024 * 1024;
