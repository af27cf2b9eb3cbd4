import { createCatalog } from "../../../lib/memos/catalog.ts";
import type { MemoContent } from "../../../lib/memos/memo.ts";
import { createMemoStore } from "../../../lib/memos/store.ts";
import { deleteMemo, type MemoWrite, type Written, writeMemo } from "../../../lib/memos/write.ts";
import type { Requester } from "../../../lib/core/principal.ts";
import { testClock } from "../../support/clock.ts";
import { startEngine } from "../../support/engine.ts";
import { countingIds } from "../../support/ids.ts";

export const ALICE: Requester = {
  principalId: "human:alice",
  kind: "human",
  uid: "alice",
  username: "Alice",
};

/** A library over a real embedded engine, with the writes that stories need. */
export async function givenLibrary() {
  const engine = await startEngine();
  const memos = createMemoStore(engine.doc, engine.tables);
  const clock = testClock();
  const ids = countingIds();
  const catalog = createCatalog({ memos, clock });
  const write = (part: Partial<MemoWrite> & Pick<MemoWrite, "memoId" | "base" | "content">): MemoWrite => ({
    ownerUid: "alice",
    writeToken: ids("write"),
    writtenBy: ALICE,
    sessionId: null,
    runId: null,
    ...part,
  });
  return {
    engine,
    memos,
    clock,
    ids,
    catalog,
    write,
    /** A new memo of Alice's. */
    async givenMemo(content: Partial<MemoContent>, ownerUid = "alice") {
      const memoId = ids("memo");
      const written = await writeMemo(
        { memos, clock },
        write({ ownerUid, memoId, base: null, content: { title: "A memo", body: "", ...content } }),
      );
      return (written as Written).memo;
    },
    edit: (
      memoId: MemoWrite["memoId"],
      base: number | null,
      content: MemoWrite["content"],
      writeToken?: string,
    ) => writeMemo({ memos, clock }, write({ memoId, base, content, ...(writeToken && { writeToken }) })),
    remove: (memoId: MemoWrite["memoId"], base: number, writeToken: string = ids("write")) =>
      deleteMemo({ memos, clock }, { ownerUid: "alice", memoId, base, writeToken }),
  };
}
export type Library = Awaited<ReturnType<typeof givenLibrary>>;
