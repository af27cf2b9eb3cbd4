import { vi } from "vitest";
import type { Host } from "../../infra/local/host.ts";
import type { itemView } from "../../lib/queue/item-view.ts";
import type { memoView } from "../../lib/memos/edit.ts";
import type { MemoEntry } from "../../lib/memos/memo.ts";
import type { Decision } from "../../lib/runs/run.ts";
import type { readHold } from "../../lib/runs/hold-view.ts";
import type { gateView } from "../../lib/runs/gate-view.ts";
import type { runRecord, runSummary } from "../../lib/runs/run-view.ts";
import type { TimelineEntry } from "../../lib/sessions/timeline.ts";

/** What the routes answer. */
export type Page<T> = { items: T[]; nextCursor: string | null };
export type ShownMemo = ReturnType<typeof memoView>;
export type ShownItem = ReturnType<typeof itemView>;
export type ShownRun = ReturnType<typeof runSummary>;
export type RunRecord = Awaited<ReturnType<typeof runRecord>>;
export type Hold = Awaited<ReturnType<typeof readHold>> & NonNullable<Awaited<ReturnType<typeof gateView>>>;
export type Enqueued = { enqueued: boolean; reason: string | null; itemId: string; runId: string };
export type Decided = { holdId: string; decision: Decision; run: ShownRun };
export type Problem = { status: number; code: string; detail: string; hint: string } & Record<
  string,
  unknown
>;
export type { MemoEntry, TimelineEntry };

export type Answer = { status: number; headers: Headers; text: string };
export type Request = {
  method: string;
  path: string;
  /** Sent as it is. */
  body?: string;
  headers?: Record<string, string>;
};

/** Sends a request as it is described, without a key of its own; a refusal is an answer. */
export async function send(
  { url }: Pick<Host, "url">,
  { method, path, body, headers = {} }: Request,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    // Bytes, since fetch names a content-type of its own for a text.
    ...(body !== undefined && { body: new TextEncoder().encode(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The API as one key's holder calls it, in a session when one is named. */
export function clientOf(host: Pick<Host, "url">, key: string, sessionId?: string) {
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(host, {
      method,
      path,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(sessionId && { "x-mythos-session": sessionId }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return JSON.parse(answer.text) as T;
  };
  return {
    /** Whatever was answered. */
    ask,
    /** The body of an answer that must be a success. */
    get: <T>(path: string) => call<T>("GET", path),
    post: <T>(path: string, body: unknown) => call<T>("POST", path, body),
    /** Every page of a list. */
    async all<T>(path: string): Promise<T[]> {
      const items: T[] = [];
      const join = path.includes("?") ? "&" : "?";
      for (let cursor: string | null | undefined = undefined; cursor !== null;) {
        const page: Page<T> = await call("GET", cursor ? `${path}${join}cursor=${cursor}` : path);
        items.push(...page.items);
        cursor = page.nextCursor;
      }
      return items;
    },
  };
}
export type Client = ReturnType<typeof clientOf>;

export const problemOf = (answer: Answer): Problem => JSON.parse(answer.text) as Problem;

/** Long enough for a machine that is busy with the other tests; what works is seen much earlier. */
const PATIENCE_MS = 40_000;

/** Asks again until the answer is there. @throws with what was last wrong */
export const eventually = <T>(probe: () => Promise<T>): Promise<T> =>
  vi.waitFor(probe, { timeout: PATIENCE_MS, interval: 50 });

/** The run once it has one of these states. */
export function runThatIs(client: Client, runId: string, status: string): Promise<RunRecord> {
  return eventually(async () => {
    const run = await client.get<RunRecord>(`/api/runs/${runId}`);
    if (run.status === status) return run;
    throw new Error(`run ${runId} is ${run.status}, not ${status}: ${run.error?.message ?? "no error"}`);
  });
}

/** Enqueues one brief and waits for the draft of it to be held. */
export async function heldDraft(client: Client, topic: string): Promise<Enqueued & { hold: Hold }> {
  const enqueued = await client.post<Enqueued>("/api/workflows/draft-memo/items", { payload: { topic } });
  const { holdId } = await runThatIs(client, enqueued.runId, "suspended");
  return { ...enqueued, hold: await client.get<Hold>(`/api/holds/${holdId}`) };
}
