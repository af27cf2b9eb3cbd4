import type { MemoEntry, MemoHit, ShownMemo } from "../../client/answers.ts";
import { segment } from "../../client/client.ts";
import type { Api } from "../connection.ts";
import { EXIT, Failure } from "../failure.ts";

/** The memo of an id, or the only one with exactly this title. @throws {Failure} not found, or several */
export async function findMemo(api: Api, named: string): Promise<ShownMemo> {
  const memoId = /^memo_[A-Za-z0-9._-]+$/.test(named) ? named : await idOfTitle(api, named);
  return api.get<ShownMemo>(`/api/memos/${segment(memoId)}`);
}

async function idOfTitle(api: Api, title: string): Promise<string> {
  const entries = await api.list<MemoEntry>("/api/memos?limit=100", Infinity);
  const found = entries.filter((entry) => entry.title === title);
  const [first, second] = found;
  if (first && !second) return first.memoId;
  if (first) {
    throw new Failure(
      EXIT.conflict,
      `${found.length} memos are titled "${title}"`,
      `Use an id: ${found.map(({ memoId }) => memoId).join(", ")}`,
    );
  }
  const [near] = await api.list<MemoHit>(`/api/memos?limit=1&q=${segment(title)}`, 1);
  throw new Failure(EXIT.notFound, `no memo is titled "${title}"`, near && `Did you mean "${near.title}"?`);
}
