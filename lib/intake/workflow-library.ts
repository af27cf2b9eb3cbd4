import { sha256, type Sha256 } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import type { Catalog } from "../memos/catalog.ts";
import type { Memo } from "../memos/memo.ts";
import type { ListPlace } from "../memos/list.ts";
import { readMemo } from "../memos/read.ts";
import type { MemoStore } from "../memos/store.ts";
import type { BundledWorkflow } from "../workflow-files/bundled.ts";
import { compileWorkflow, type Compiled } from "../workflows/compile.ts";
import { parseWorkflow } from "../workflows/parse.ts";
import type { WorkflowLookup } from "../workflows/resolve.ts";
import { createCommands } from "./commands.ts";

/** What this deployment can do: names a workflow may use. */
export type Registry = Pick<
  WorkflowLookup,
  "destinations" | "sources" | "readTools" | "models" | "pricedModels" | "actions" | "windowTokens"
>;

/** The thin slice of this release; each issue of a feature adds its names. */
export const REGISTRY: Registry = {
  destinations: ["memo"],
  sources: ["memo", "runs", "holds", "sessions", "verdicts", "edges", "fetch"],
  readTools: ["search_memos", "read_memo"],
  models: ["small", "default", "large"],
  actions: ["apply_session_verdicts"],
};

export type FoundWorkflow = {
  memo: Memo;
  compiled: Compiled;
  /** Of a workflow that comes with the project: inputs that people and schedules alone may set to true. */
  peopleOnly?: readonly string[];
};

/** The workflows of a library, compiled from the memos as they are now. */
export function createWorkflowLibrary(deps: {
  memos: MemoStore;
  catalog: Catalog;
  clock: Clock;
  registry: Registry;
  /** Counts a memo's tokens, where gates and hooks are read to say how large they are: to show a workflow, not to run it. */
  sizeOf?: (text: string) => number;
  /** Workflows that come with the project: every library has them, before its own. */
  bundled?: readonly BundledWorkflow[];
}) {
  const { memos, catalog, clock, registry, sizeOf, bundled = [] } = deps;
  const commands = createCommands({ memos, catalog, bundled });
  const bundledOf = (ownerUid: string, workflowId: string): FoundWorkflow | undefined => {
    const found = bundled.find((each) => each.workflowId === workflowId);
    return found && bundledWorkflow(found, ownerUid);
  };

  function lookupFor(ownerUid: string, memoId: string): WorkflowLookup {
    return {
      ...registry,
      memosByTitle: (title) => catalog.byTitle(ownerUid, title),
      memoById: (id) => readMemo({ memos }, ownerUid, id),
      ...(sizeOf && {
        async memoTokens(id: string) {
          const memo = await readMemo({ memos }, ownerUid, id);
          return memo && sizeOf(memo.body);
        },
      }),
      titles: async () => (await catalog.entries(ownerUid)).map(({ title }) => title),
      async commandOwners(command) {
        const others = (await catalog.workflows(ownerUid)).filter((entry) => entry.memoId !== memoId);
        const named = await Promise.all(
          others.map(async (entry) => ({ entry, command: await commands.commandOfEntry(ownerUid, entry) })),
        );
        const ours = bundled.filter(({ manifest }) => manifest.trigger.command === command);
        return [
          ...ours.map(({ workflowId, manifest }) => ({ memoId: workflowId, title: manifest.title })),
          ...named.filter((other) => other.command === command).map(({ entry }) => entry),
        ];
      },
    };
  }

  async function compileMemo(memo: Memo): Promise<Compiled> {
    return compileWorkflow(memo, lookupFor(memo.ownerUid, memo.memoId), clock.now());
  }

  return {
    /** The workflow of an id, read and compiled now; undefined when the memo is gone or is no workflow. */
    async byId(ownerUid: string, workflowId: string): Promise<FoundWorkflow | undefined> {
      const ours = bundledOf(ownerUid, workflowId);
      if (ours) return ours;
      const memo = await readMemo({ memos }, ownerUid, workflowId);
      return memo?.memoType === "workflow" ? { memo, compiled: await compileMemo(memo) } : undefined;
    },

    /** The workflow of an id, or of a command with or without its slash. */
    async find(ownerUid: string, idOrCommand: string): Promise<FoundWorkflow | undefined> {
      const workflowId = await commands.idOf(ownerUid, idOrCommand);
      return workflowId === undefined ? undefined : this.byId(ownerUid, workflowId);
    },

    idOf: commands.idOf,

    /**
     * Compiles a text against the library without keeping it: as the workflow that it changes, when there is one of
     * its command and title, else as a new one.
     */
    async compileText(ownerUid: string, body: string): Promise<Compiled> {
      const { trigger, title } = parseWorkflow(body).draft;
      const known = trigger?.command ? await this.find(ownerUid, trigger.command) : undefined;
      const isOwn = known && known.memo.title === title && !bundledOf(ownerUid, known.memo.memoId);
      const memoId = isOwn ? known.memo.memoId : "memo_preview";
      const source = { memoId, contentVersion: 0, contentHash: sha256(body), body, title: title ?? "" };
      return compileWorkflow(source, lookupFor(ownerUid, memoId), clock.now());
    },

    /** Every workflow of the library, newest change first, each compiled now; then those of the project. */
    async list(ownerUid: string): Promise<FoundWorkflow[]> {
      const entries = await catalog.workflows(ownerUid);
      const found = await Promise.all(entries.map((entry) => this.byId(ownerUid, entry.memoId)));
      const ours = bundled.map((each) => bundledWorkflow(each, ownerUid));
      return [...found.filter((workflow) => workflow !== undefined), ...ours];
    },

    /** A page of the same list: only what it shows is compiled. */
    async page(
      ownerUid: string,
      { limit, after }: { limit: number; after: ListPlace | null },
    ): Promise<{ workflows: FoundWorkflow[]; next: ListPlace | null }> {
      const entries = await catalog.workflows(ownerUid);
      const rest = entries.filter(({ changeSeq }) => changeSeq < (after?.before ?? Infinity));
      const shown = rest.slice(0, limit);
      const found = await Promise.all(shown.map((entry) => this.byId(ownerUid, entry.memoId)));
      const workflows = found.filter((workflow) => workflow !== undefined);
      if (rest.length > limit) return { workflows, next: { before: shown.at(-1)!.changeSeq } };
      // Those of the project are last, and on a page of their own where they do not fit.
      if (shown.length > 0 && shown.length + bundled.length > limit) return { workflows, next: AFTER_ALL };
      return {
        workflows: [...workflows, ...bundled.map((each) => bundledWorkflow(each, ownerUid))],
        next: null,
      };
    },

    /** Memos that any workflow of the library loads as a gate. */
    async gateMemoIds(ownerUid: string): Promise<ReadonlySet<string>> {
      const compiled = (await this.list(ownerUid)).map((workflow) => workflow.compiled);
      const loads = compiled.flatMap((workflow) => (workflow.ok ? workflow.manifest.load : []));
      return new Set(loads.flatMap((load) => (load.class === "gate" && load.memo.id ? [load.memo.id] : [])));
    },
  };
}
/** After the library's first memo. */
const AFTER_ALL: ListPlace = { before: 1 };

/** A workflow that comes with the project, in the form of one that stands in a memo. */
function bundledWorkflow(
  { workflowId, manifest, text, peopleOnly }: BundledWorkflow,
  ownerUid: string,
): FoundWorkflow {
  const project = { principalId: "project", kind: "schedule", uid: "project", username: "project" } as const;
  return {
    memo: {
      memoId: workflowId,
      ownerUid,
      title: manifest.title,
      body: text,
      tags: [],
      notes: "",
      notesTags: [],
      memoType: "workflow",
      visibility: "unlisted",
      contentVersion: 1,
      contentHash: manifest.source.contentHash as Sha256,
      notesHash: sha256(""),
      createdAt: 0,
      updatedAt: 0,
      writtenBy: project,
      sessionId: null,
      runId: null,
      writeToken: workflowId,
    },
    compiled: { ok: true, manifest, diagnostics: [] },
    peopleOnly,
  };
}

export type WorkflowLibrary = ReturnType<typeof createWorkflowLibrary>;
