import type * as z from "zod";
import type { Clock } from "../core/clock.ts";
import type { Principal, Scope } from "../core/principal.ts";
import type { EdgeStore } from "../edges/store.ts";
import type { EnqueueDeps } from "../intake/enqueue-item.ts";
import type { Catalog } from "../memos/catalog.ts";
import type { Memo, Telling } from "../memos/memo.ts";
import type { Search } from "../memos/search.ts";
import type { MemoStore } from "../memos/store.ts";
import type { CancelDeps } from "../runs/cancel.ts";
import type { SessionStore } from "../sessions/store.ts";

/** What the tools work with: the same stores and functions as the routes of the API. */
export type AgentToolDeps = EnqueueDeps &
  CancelDeps & {
    sessions: SessionStore;
    memos: MemoStore;
    catalog: Catalog;
    edges: EdgeStore;
    search: Search;
    telling?: (ownerUid: string) => Promise<Telling>;
    /** What follows a memo's write: whoever listens is told. */
    memoChanged(memo: Memo): Promise<void>;
    titlesChanged?: (ownerUid: string) => Promise<void>;
    /** Lets time pass inside a bounded wait. */
    pause(ms: number): Promise<void>;
    /** Throws when this principal writes too often; absent where nobody counts. */
    limitWrites?: (principal: Principal, at: number) => Promise<void>;
    /** Told when a call could not be put on its session's timeline. */
    notRecorded?: (error: unknown) => void;
    /** Told of a fault of ours, whose text no caller sees. */
    failed?: (tool: string, error: unknown) => void;
    clock: Clock;
  };

/** Who calls, and until when an answer must be there. */
export type Call = {
  principal: Principal;
  /** The session that the call belongs to; never trusted for access. */
  sessionId: string;
  at: number;
  /** Epoch ms: no wait goes on after it. */
  waitUntil: number;
  /** The arguments as they were sent, where they are known: a payload is kept byte for byte. */
  argumentsText?: string;
};

/** `says` is one short sentence; `value` is what the tool's output schema describes. */
export type Told = { says: string; value: Record<string, unknown> };

export type ToolHints = {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint: false;
};

/** One tool of agents. It knows no protocol: what serves it says how a call comes in and an answer goes out. */
export type AgentTool = {
  name: string;
  description: string;
  scope: Scope;
  /** Counted as a write, with those of the API's routes. */
  writes: boolean;
  hints: ToolHints;
  input: z.ZodObject;
  output: z.ZodObject;
  /** A few words for the session's timeline. */
  label(input: never): string;
  call(deps: AgentToolDeps, call: Call, input: never): Promise<Told>;
};

type Declared<I extends z.ZodObject> = Omit<AgentTool, "input" | "label" | "call"> & {
  input: I;
  label(input: z.infer<I>): string;
  call(deps: AgentToolDeps, call: Call, input: z.infer<I>): Promise<Told>;
};

/** A tool whose input is what its schema gives. */
export const agentTool = <I extends z.ZodObject>(tool: Declared<I>): AgentTool => tool;

export const READS: ToolHints = { readOnlyHint: true, openWorldHint: false };
