import * as z from "zod";
import { AppError } from "../core/errors.ts";
import { deriveId, type Ids } from "../core/ids.ts";
import { changeMemo, createMemo, NewMemo } from "../memos/edit.ts";
import type { Memo } from "../memos/memo.ts";
import { agentTool, type AgentToolDeps, type Call } from "./agent-tool.ts";
import { namedMemo } from "./named-memo.ts";

const { title, body, tags, memoType } = NewMemo.shape;

const Input = z.strictObject({
  id: z.string().min(1).max(300).optional().describe("of the memo to change; none makes a new one"),
  title: title.optional(),
  body: body.optional(),
  tags: tags.optional(),
  type: memoType.optional(),
  expected_version: z.int().min(1).optional().describe("as read_memo answered it; needed with id"),
});
type Input = z.infer<typeof Input>;

/** Makes a memo, or changes one that is still as it was read. */
export const writeMemo = agentTool({
  name: "write_memo",
  description:
    "Writes a new memo, or changes one that is still at expected_version. body replaces the whole text.",
  scope: "memos:write",
  writes: true,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: Input,
  output: z.looseObject({ id: z.string(), version: z.int() }),
  label: (input) => input.id ?? input.title ?? "",
  async call(deps, call, input) {
    const memo =
      input.id === undefined ? await created(deps, call, input) : await changed(deps, call, input.id, input);
    await deps.memoChanged(memo);
    if (input.title !== undefined) await deps.titlesChanged?.(memo.ownerUid);
    const { memoId, contentVersion } = memo;
    return {
      says: `${memoId} is at version ${contentVersion}.`,
      value: { id: memoId, version: contentVersion },
    };
  },
});

const contentOf = ({ title, body, tags, type }: Input) => ({
  ...(title !== undefined && { title }),
  ...(body !== undefined && { body }),
  ...(tags !== undefined && { tags }),
  ...(type !== undefined && { memoType: type }),
});

async function created(deps: AgentToolDeps, call: Call, input: Input): Promise<Memo> {
  const { title, body } = input;
  if (title === undefined || body === undefined) throw needs("title and body", "a new memo", "/title");
  if (input.expected_version !== undefined) throw needs("id", "a change of a version", "/id");
  const author = { principal: call.principal, sessionId: call.sessionId };
  return createMemo({ ...deps, ids: idsOfText(deps.ids, call, input) }, author, {
    ...contentOf(input),
    title,
    body,
  });
}

/** The same text written twice in a session is one memo: a call whose answer was lost may be sent again. */
function idsOfText(ids: Ids, { principal, sessionId }: Call, input: Input): Ids {
  const parts = [principal.ownerUid, sessionId, JSON.stringify(contentOf(input))];
  return (prefix) => (prefix === "memo" || prefix === "write" ? deriveId(prefix, ...parts) : ids(prefix));
}

async function changed(deps: AgentToolDeps, call: Call, id: string, input: Input): Promise<Memo> {
  const { principal, sessionId } = call;
  const { memoId } = await namedMemo(deps, principal.ownerUid, id);
  const base = input.expected_version;
  if (base === undefined) {
    throw new AppError("precondition_required", "a change must say which version it changes", {
      header: "expected_version",
    });
  }
  const change = contentOf(input);
  if (Object.keys(change).length === 0) throw needs("title, body or tags", "a change", "/body");
  return changeMemo(deps, { principal, sessionId }, { memoId, base }, change);
}

function needs(what: string, whose: string, pointer: string): AppError {
  const message = `${whose} needs ${what}`;
  return new AppError("invalid_request", message, { failing: [{ pointer, message }] });
}
