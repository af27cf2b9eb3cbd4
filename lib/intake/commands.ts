import { isId } from "../core/ids.ts";
import type { Catalog } from "../memos/catalog.ts";
import type { MemoEntry } from "../memos/memo.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import type { BundledWorkflow } from "../workflow-files/bundled.ts";
import { commandOf } from "../workflows/command.ts";

/** Commands remembered in one container; far above any library of people. */
const MAX_COMMANDS = 2000;

/** Which workflow answers to which command, read from the memos and never compiled. */
export function createCommands({
  memos,
  catalog,
  bundled = [],
}: {
  memos: MemoStore;
  catalog: Catalog;
  /** Workflows that come with the project: their commands are theirs in every library. */
  bundled?: readonly BundledWorkflow[];
}) {
  const commands = new Map<string, string | null>();

  async function commandOfEntry(
    ownerUid: string,
    entry: Pick<MemoEntry, "memoId" | "contentVersion">,
  ): Promise<string | null> {
    const key = `${ownerUid}#${entry.memoId}#${entry.contentVersion}`;
    const known = commands.get(key);
    if (known !== undefined) return known;
    const memo = await readMemo({ memos }, ownerUid, entry.memoId);
    const command = memo ? commandOf(memo.body) : null;
    if (commands.size >= MAX_COMMANDS) commands.clear();
    commands.set(key, command);
    return command;
  }

  return {
    commandOfEntry,
    /** The id of a workflow by its id, taken as it is, or by a command with or without its slash. */
    async idOf(ownerUid: string, idOrCommand: string): Promise<string | undefined> {
      if (isId("memo", idOrCommand)) return idOrCommand;
      const wanted = idOrCommand.startsWith("/") ? idOrCommand : `/${idOrCommand}`;
      const ours = bundled.find(({ manifest }) => manifest.trigger.command === wanted);
      if (ours) return ours.workflowId;
      for (const entry of await catalog.workflows(ownerUid)) {
        if ((await commandOfEntry(ownerUid, entry)) === wanted) return entry.memoId;
      }
      return undefined;
    },
  };
}
export type Commands = ReturnType<typeof createCommands>;
