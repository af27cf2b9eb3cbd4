import { AppError } from "../core/errors.ts";
import type { Tool } from "../core/tool.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";

/** Reads one note of the run's owner by its id. Workflows are no notes: what they say is not for a model to take up. */
export function createReadMemo(deps: { memos: MemoStore }): Tool {
  return {
    name: "read_memo",
    description: "Reads one memo of the owner's notes by its id, as search_memos answers it.",
    input: {
      type: "object",
      required: ["memoId"],
      additionalProperties: false,
      properties: { memoId: { type: "string", minLength: 1, maxLength: 200 } },
    },
    async call({ ownerUid }, input) {
      const { memoId } = input as { memoId: string };
      const memo = await readMemo(deps, ownerUid, memoId);
      if (memo?.memoType !== "note") {
        throw new AppError("memo_not_found", `there is no memo ${memoId}`, { memoId });
      }
      const tags = memo.tags.length > 0 ? `\ntags: ${memo.tags.join(", ")}` : "";
      return `title: ${memo.title}\nversion: ${memo.contentVersion}${tags}\n\n${memo.body}`;
    },
  };
}
