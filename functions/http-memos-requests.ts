import * as z from "zod";
import { AppError } from "../lib/core/errors.ts";
import { queryFault } from "../lib/core/query-terms.ts";
import type { ImportFile } from "../lib/memos/import.ts";
import { MemoType } from "../lib/memos/memo.ts";
import { checked } from "./middleware/parse-body.ts";

/** A memo has two texts of 2 MB each at most; Lambda takes events of 6 MB. */
export const MEMO_BODY_MAX_BYTES = 5 * 1024 * 1024;

/** Files of one import request; more go into further requests. */
export const ImportRequest = z.strictObject({
  files: z
    .array(z.strictObject({ path: z.string().max(500), text: z.string() }) satisfies z.ZodType<ImportFile>)
    .min(1)
    .max(100),
});

/** A filter that would be searched for as a word finds other memos than were asked for. */
function refuseLostTerm(q: string, context: z.RefinementCtx): void {
  const fault = queryFault(q);
  if (fault)
    context.addIssue({ code: "custom", message: `"${fault.term}" is not a term of a query. ${fault.hint}` });
}

export const ListQuery = z.object({
  query: z.object({
    q: z.string().max(1000).superRefine(refuseLostTerm).optional(),
    // A repeated parameter arrives as one, with commas.
    tag: z
      .string()
      .max(1000)
      .transform((tags) => tags.split(",").filter((tag) => tag !== ""))
      .default([]),
    type: MemoType.optional(),
  }),
});

/** What a list or a search asks for. @throws {AppError} invalid_request */
export const listQuery = (query: Record<string, string>) => checked(ListQuery, { query }, "query").query;

/**
 * The version that an update says it changes.
 * @throws {AppError} precondition_required, invalid_request
 */
export function versionOf(ifMatch: string | undefined): number {
  if (ifMatch === undefined || ifMatch.trim() === "") {
    throw new AppError("precondition_required", "the request has no If-Match", { header: "if-match" });
  }
  // Proxies that compress turn our ETag into a weak one.
  const match = /^(?:W\/)?("?)([1-9]\d{0,14})\1$/.exec(ifMatch.trim());
  if (match) return Number(match[2]);
  const message = `is ${ifMatch.slice(0, 40)}; expected the ETag of the memo, such as "3"`;
  throw new AppError("invalid_request", `header If-Match ${message}`, {
    failing: [{ pointer: "/headers/if-match", message }],
  });
}

/** The ETag of a memo: its version. */
export const etagOf = (memo: { contentVersion: number }) => ({ etag: `"${memo.contentVersion}"` });
