import type { Action } from "../core/action.ts";
import type { Clock, Ticker } from "../core/clock.ts";
import type { Ids } from "../core/ids.ts";
import type { Registered } from "../core/registered.ts";
import type { Source } from "../core/source.ts";
import type { Tool } from "../core/tool.ts";
import type { Dispatchers } from "../dispatch/destination.ts";
import type { MemoStore } from "../memos/store.ts";
import type { SearchHit } from "../memos/search.ts";
import type { Model } from "../model/model.ts";
import type { Pricing } from "../model/pricing.ts";
import type { NoticeStore } from "../notices/store.ts";
import type { Doorbells } from "../queue/doorbell.ts";
import type { QueueStore } from "../queue/store.ts";
import type { SpendStore } from "../spend/store.ts";
import type { Compiled } from "../workflows/compile.ts";
import type { RunStore } from "./store.ts";

/** What a runner works with. */
export type RunnerDeps = {
  queue: QueueStore;
  runs: RunStore;
  memos: MemoStore;
  doorbells: Doorbells;
  /** Where the owner is told of a run that fails. */
  notices: Pick<NoticeStore, "put">;
  clock: Clock;
  ids: Ids;
  ticker: Ticker;
  model: Model;
  dispatchers: Dispatchers;
  /** Where the cost of calls is added up. */
  spend: Pick<SpendStore, "addOnce" | "reserve" | "release" | "settle">;
  /** What all workflows of an owner may spend on a day; null is no limit. */
  libraryUsdPerDay: number | null;
  /** What the calls of a model cost, by the name that a workflow gives it. */
  pricingOf(model: string): Pricing;
  /** What a context step may include, by scheme. */
  sources: Readonly<Record<string, Source>>;
  /** What a process step may ask, by name. */
  tools: Readonly<Record<string, Tool>>;
  /** What a workflow file's steps may call, by name. */
  registered: Registered;
  /** What an output step may do beside writing, by name. */
  actions: Readonly<Record<string, Action>>;
  /** Inputs of a workflow that people and schedules alone may set to true. */
  peopleOnly(workflowId: string): readonly string[];
  /** The hashes of the workflows that come with the project. */
  bundledHashes: ReadonlyMap<string, string>;
  /** 0 to below 1, for the jitter of waits. */
  random: () => number;
  /** Compiles a workflow memo as it is now; undefined when there is none. */
  compile(ownerUid: string, workflowId: string): Promise<Compiled | undefined>;
  /** Notes that a query finds, best first. */
  searchNotes(
    ownerUid: string,
    query: string,
    limits: { top: number; maxTokens?: number },
  ): Promise<SearchHit[]>;
  /** Memos that any workflow of the owner loads as a gate. */
  gateMemoIds(ownerUid: string): Promise<ReadonlySet<string>>;
  /** Whether a title or an id between double brackets names a memo. */
  hasMemo(ownerUid: string, ref: string): Promise<boolean>;
  /** What is left of this invocation. */
  remainingMs(): number;
};
