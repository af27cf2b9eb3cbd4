import type { Page, Problem } from "./answers.ts";
import { leftOutOf, putAt } from "./left-out-texts.ts";

export type Host = {
  url: string;
  key: string;
  /** Named in a header on every call; tracking, never access. */
  sessionId?: string | undefined;
};

export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export type Call = {
  /** Sent as JSON. */
  body?: unknown;
  /** JSON that is sent byte for byte. */
  bodyText?: string;
  headers?: Record<string, string>;
};

/** A host that is slower than this does not answer at all: the gateway ends a request after 30 s. */
const ANSWER_MS = 60_000;

/** The API of one host with one key. A refusal and a host that cannot be reached are answers, not exceptions. */
export function createClient({ url, key, sessionId }: Host) {
  async function call<T>(
    method: string,
    path: string,
    options: Call,
    read: (text: string) => unknown = jsonOf,
  ): Promise<Answer<T>> {
    const text = options.bodyText ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    let response: Response;
    try {
      response = await fetch(`${url.replace(/\/$/, "")}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(text !== undefined && { "content-type": "application/json" }),
          ...(sessionId && { "x-mythos-session": sessionId }),
          ...options.headers,
        },
        ...(text !== undefined && { body: text }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      // By itself, since `text()` of a response takes a mark of byte order away.
      const said = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
      if (response.ok) return { ok: true, value: read(said) as T };
      return { ok: false, problem: problemOf(response.status, jsonOf(said)) };
    } catch (error) {
      return { ok: false, problem: { status: 0, code: "unreachable", detail: causeOf(error) } };
    }
  }

  /** The call, and every text that its answer had no room for, each put back where it would stand. */
  async function callWhole<T>(method: string, path: string, options: Call = {}): Promise<Answer<T>> {
    const answer = await call<T>(method, path, options);
    if (!answer.ok) return answer;
    const leftOut = leftOutOf(answer.value);
    if (leftOut.some(({ read }) => read === null)) return answer;
    for (const { pointer, read } of leftOut) {
      const [readMethod = "GET", at = ""] = read!.split(" ");
      // A POST that only reads is the same request once more.
      const text = await call<string>(readMethod, at, readMethod === method ? options : {}, asText);
      // What is written stays written, also for a key that may not read it.
      if (!text.ok) return method === "GET" ? text : answer;
      putAt(answer.value, pointer, text.value);
    }
    if (leftOut.length > 0) delete (answer.value as { textsLeftOut?: unknown }).textsLeftOut;
    return answer;
  }

  return {
    call: callWhole,
    /** A list page by page, until it ends or `limit` items are there. */
    async list<T>(path: string, limit: number): Promise<Answer<T[]>> {
      const items: T[] = [];
      for (let cursor: string | null = null; ;) {
        const at: string = cursor ? `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}` : path;
        const page: Answer<Page<T>> = await callWhole("GET", at);
        if (!page.ok) return page;
        items.push(...page.value.items);
        cursor = page.value.nextCursor;
        if (cursor === null || items.length >= limit) return { ok: true, value: items.slice(0, limit) };
      }
    },
  };
}
export type Client = ReturnType<typeof createClient>;

/** An id or a command as one segment of a path. */
export const segment = (text: string): string => encodeURIComponent(text);

function problemOf(status: number, value: unknown): Problem {
  const said = typeof value === "object" && value !== null ? (value as Partial<Problem>) : {};
  const detail = said.detail ?? `the host answered ${status}`;
  return { ...said, status, code: said.code ?? `http_${status}`, detail };
}

export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}

const asText = (text: string): string => text;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
