import * as z from "zod";
import { AppError } from "../core/errors.ts";
import type { RegisteredTool } from "../core/registered.ts";
import { truncate } from "../core/text.ts";
import type { Catalog } from "../memos/catalog.ts";
import type { MemoEntry } from "../memos/memo.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import type { NAMES } from "./names.ts";

export type ListedNote = Pick<MemoEntry, "memoId" | "title" | "tags" | "updatedAt">;

/** More notes than this are not listed; the newest changes come first. */
const NOTES_MAX = 2000;
/** As much of a note as one question shows. */
const TEXT_MAX_LENGTH = 6000;

const NoteInput = z.object({ memoId: z.string().min(1).max(200) });

/** The tools of the review. They read, so that a repeat has no effect at all. */
export function createNoteTools(deps: {
  memos: MemoStore;
  catalog: Pick<Catalog, "entries">;
}): Record<(typeof NAMES.tools)[number], RegisteredTool> {
  return {
    library_notes: {
      name: "library_notes",
      async call({ ownerUid }) {
        const notes = (await deps.catalog.entries(ownerUid)).filter(({ memoType }) => memoType === "note");
        const items = notes
          .slice(0, NOTES_MAX)
          .map(({ memoId, title, tags, updatedAt }): ListedNote => ({ memoId, title, tags, updatedAt }));
        return { value: { items, nextCursor: null } };
      },
    },
    note_read: {
      name: "note_read",
      async call({ ownerUid }, input) {
        const { memoId } = NoteInput.parse(input);
        const memo = await readMemo(deps, ownerUid, memoId);
        if (!memo || memo.memoType !== "note") {
          throw new AppError("memo_not_found", "the note is gone", { memoId });
        }
        const { title, body, updatedAt } = memo;
        return { value: { memoId, title, text: truncate(body, TEXT_MAX_LENGTH), updatedAt } };
      },
    },
  };
}
