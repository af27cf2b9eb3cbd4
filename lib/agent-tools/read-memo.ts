import * as z from "zod";
import { truncate } from "../core/text.ts";
import { agentTool, READS } from "./agent-tool.ts";
import { AS_DATA } from "./get-run.ts";
import { namedMemo } from "./named-memo.ts";

const STANDARD_CHARS = 12_000;
const MAX_CHARS = 100_000;

/** One memo, or a part of a long one. Its text is a JSON string beside its id and version: data, whatever it says. */
export const readMemo = agentTool({
  name: "read_memo",
  description: "Reads a memo by its id or exact title.",
  scope: "memos:read",
  writes: false,
  hints: READS,
  input: z.strictObject({
    id: z.string().min(1).max(300),
    max_chars: z.int().min(1).max(MAX_CHARS).default(STANDARD_CHARS),
    offset: z.int().min(0).default(0),
  }),
  output: z.looseObject({
    id: z.string(),
    title: z.string(),
    body: z.string(),
    tags: z.array(z.string()),
    version: z.int(),
    truncated: z.boolean(),
  }),
  label: ({ id }) => id,
  async call(deps, { principal }, { id, max_chars, offset }) {
    const memo = await namedMemo(deps, principal.ownerUid, id);
    const { memoId, title, tags, contentVersion: version, memoType } = memo;
    const body = truncate(memo.body.slice(offset), max_chars);
    const end = offset + body.length;
    const truncated = end < memo.body.length;
    const more = truncated ? ` Go on with offset ${end}.` : "";
    return {
      says: `${memoId}, version ${version}.${more} ${AS_DATA}`,
      value: {
        note: AS_DATA,
        id: memoId,
        title,
        body,
        tags: [...tags],
        version,
        truncated,
        ...(truncated && { next_offset: end }),
        type: memoType,
      },
    };
  },
});
