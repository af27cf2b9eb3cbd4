import { sha256, utf8Bytes } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import { digestOf, deriveId, type Id, isId } from "../core/ids.ts";
import type { Requester } from "../core/principal.ts";
import {
  type Memo,
  MEMO_TEXT_MAX_BYTES,
  type MemoContent,
  type MemoType,
  TAG_MAX_LENGTH,
  TAGS_MAX,
  type Telling,
  TITLE_MAX_LENGTH,
} from "./memo.ts";
import { bodyOfFile, type MemoFile, readMemoFile } from "./memo-file.ts";
import { versionAt } from "./read.ts";
import type { Head } from "./row.ts";
import type { MemoStore } from "./store.ts";
import { writeMemo } from "./write.ts";

/** Files written at the same time: one after the other, a hundred would take longer than a caller waits. */
const AT_ONCE = 8;

/** Write tokens of imports begin so: the last one in a memo's history is what the file then was. */
const IMPORT_TOKEN = "import:";

export type ImportFile = { path: string; text: string };
export type ImportOwner = {
  ownerUid: string;
  writtenBy: Requester;
  sessionId: string | null;
  /** Whether this caller may write memos of type workflow. */
  workflows: boolean;
};
export type Imported = { path: string } & (
  | {
      outcome: "created" | "updated" | "unchanged";
      memoId: Id<"memo">;
      title: string;
      memoType: MemoType;
      contentVersion: number;
    }
  | { outcome: "refused"; memoId: Id<"memo"> | null; reason: RefusalReason; message: string }
);
export type RefusalReason =
  | "bad_path"
  | "bad_file"
  | "too_large"
  | "workflows_scope_missing"
  | "edited_here"
  | "deleted_here"
  | "changed_meanwhile";

type Deps = {
  memos: MemoStore;
  clock: Clock;
  /** What of a write is to be told to whom listens; nothing when absent. */
  telling?: (ownerUid: string) => Promise<Telling>;
};

/**
 * Takes files into the library, one answer a file in their order. A file is the same memo each time (by its
 * front matter's id, else by its path), so an import can be repeated. What was changed here since is never replaced.
 */
export async function importMemos(
  deps: Deps,
  owner: ImportOwner,
  files: readonly ImportFile[],
): Promise<Imported[]> {
  const answers: Imported[] = [];
  const claimed = new Map<Id<"memo">, string>();
  const plans = files.map((file) => planOf(owner, file, claimed));
  const telling = await deps.telling?.(owner.ownerUid);
  for (let from = 0; from < plans.length; from += AT_ONCE) {
    const batch = plans.slice(from, from + AT_ONCE);
    answers.push(
      ...(await Promise.all(
        batch.map((plan) => ("outcome" in plan ? plan : importOne(deps, owner, plan, telling))),
      )),
    );
  }
  return answers;
}

type Plan = { path: string; memoId: Id<"memo">; body: string; file: MemoFile };

function planOf(
  owner: ImportOwner,
  { path: given, text }: ImportFile,
  claimed: Map<Id<"memo">, string>,
): Plan | Imported {
  const path = given
    .normalize("NFC")
    .replaceAll("\\", "/")
    .replace(/^(?:\.?\/)+/, "");
  const refused = (memoId: Id<"memo"> | null, reason: RefusalReason, message: string): Imported => ({
    path: given,
    outcome: "refused",
    memoId,
    reason,
    message,
  });
  if (path === "" || path.endsWith("/")) return refused(null, "bad_path", `"${given}" names no file`);
  const read = readMemoFile(path, text);
  if (!read.ok) return refused(null, "bad_file", read.message);
  const { file } = read;
  const memoId = memoIdOf(owner.ownerUid, path, file.id);
  const twice = claimed.get(memoId);
  if (twice !== undefined)
    return refused(memoId, "bad_path", `is the same memo as "${twice}" in this request`);
  claimed.set(memoId, given);
  const bytes = utf8Bytes(text);
  if (bytes > MEMO_TEXT_MAX_BYTES) {
    return refused(memoId, "too_large", `has ${bytes} bytes; a memo has at most ${MEMO_TEXT_MAX_BYTES}`);
  }
  if (file.title.length > TITLE_MAX_LENGTH) {
    return refused(
      memoId,
      "bad_file",
      `its title has ${file.title.length} characters of ${TITLE_MAX_LENGTH}`,
    );
  }
  if (file.tags.length > TAGS_MAX || file.tags.some((tag) => tag.length > TAG_MAX_LENGTH)) {
    return refused(
      memoId,
      "bad_file",
      `has more than ${TAGS_MAX} tags, or one of over ${TAG_MAX_LENGTH} characters`,
    );
  }
  return { path: given, memoId, body: bodyOfFile(text).toWellFormed(), file };
}

function memoIdOf(ownerUid: string, path: string, id: string | null): Id<"memo"> {
  if (id === null) return deriveId("memo", ownerUid, "path", path);
  return isId("memo", id) ? id : deriveId("memo", ownerUid, "id", id);
}

async function importOne(
  deps: Deps,
  owner: ImportOwner,
  plan: Plan,
  telling: Telling | undefined,
): Promise<Imported> {
  const { path, memoId, body, file } = plan;
  const head = await deps.memos.head(owner.ownerUid, memoId);
  const refused = (reason: RefusalReason, message: string): Imported => ({
    path,
    outcome: "refused",
    memoId,
    reason,
    message,
  });
  if (head?.deletedAt !== undefined)
    return refused("deleted_here", "was deleted here; an id is not used again");
  const current = head && (await versionAt(deps, head, head.bodyRef));
  const isWorkflow = file.memoType === "workflow" || current?.memoType === "workflow";
  if (isWorkflow && !owner.workflows) {
    return refused("workflows_scope_missing", "is a workflow; this key lacks the scope workflows:write");
  }
  const content = current ? changesOf(current, file, body) : newContent(file, body);
  if (current) {
    const { title, memoType, contentVersion } = current;
    const unchanged: Imported = { path, outcome: "unchanged", memoId, title, memoType, contentVersion };
    if (!content) return unchanged;
    const since = await editedSince(deps, head, content, body);
    if (since === "here_only") return unchanged;
    if (since === "both") {
      return refused(
        "edited_here",
        `was changed here since its last import and is at version ${contentVersion}`,
      );
    }
  }
  const base = current?.contentVersion ?? null;
  const written = await writeMemo(deps, {
    ownerUid: owner.ownerUid,
    memoId,
    base,
    content: content ?? {},
    writeToken: `${IMPORT_TOKEN}${digestOf([memoId, base ?? 0, JSON.stringify(content)])}`,
    writtenBy: owner.writtenBy,
    sessionId: owner.sessionId,
    runId: null,
    telling,
  });
  if (written.outcome !== "written")
    return refused("changed_meanwhile", "was changed at the same moment; import it again");
  const { title, memoType, contentVersion } = written.memo;
  return { path, outcome: base === null ? "created" : "updated", memoId, title, memoType, contentVersion };
}

const newContent = (file: MemoFile, body: string): Partial<MemoContent> => ({
  title: file.title,
  body,
  tags: file.tags,
  memoType: file.memoType,
  ...(file.visibility && { visibility: file.visibility }),
});

/** What the file changes; undefined when nothing. It adds tags and takes none away: a landing may have put them there. */
function changesOf(current: Memo, file: MemoFile, body: string): Partial<MemoContent> | undefined {
  const tags = [...new Set([...current.tags, ...file.tags])];
  const changed: Partial<MemoContent> = {
    ...(file.title !== current.title && { title: file.title }),
    ...(sha256(body) !== current.contentHash && { body }),
    ...(tags.length !== current.tags.length && { tags }),
    ...(file.memoType !== current.memoType && { memoType: file.memoType }),
    ...(file.visibility && file.visibility !== current.visibility && { visibility: file.visibility }),
  };
  return Object.keys(changed).length > 0 ? changed : undefined;
}

/** Whether the memo was changed here since the last import, and whether the file was changed too. */
async function editedSince(
  deps: Deps,
  head: Head,
  content: Partial<MemoContent>,
  body: string,
): Promise<"no" | "here_only" | "both"> {
  if (head.writeToken.startsWith(IMPORT_TOKEN)) return "no";
  const chain = await deps.memos.chain(head, 1);
  const imported = chain.find((link) => link.writeToken.startsWith(IMPORT_TOKEN));
  if (imported?.contentHash === sha256(body)) return "here_only";
  const keepsText = content.body === undefined || imported?.contentHash === head.contentHash;
  return keepsText ? "no" : "both";
}
