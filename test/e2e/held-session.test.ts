import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { holdSession, type HeldSession, type MailboxMessage } from "../../lib/client/held-session.ts";
import { systemClock } from "../../lib/core/clock.ts";
import { givenHost } from "./test-host.ts";

type Given = Awaited<ReturnType<typeof givenHost>>;
let given: Given;
beforeAll(async () => {
  given = await givenHost();
});
afterAll(() => given.stop());

const client = () => createClient({ url: given.host.url, key: given.host.keys.agentKey });
const get = async (path: string) => {
  const answer = await client().call<Record<string, unknown>>("GET", path);
  return answer.ok ? answer.value : answer.problem;
};

/** A timer that the test rings by hand. */
function bell() {
  let work: (() => void) | undefined;
  return {
    ticker: (_everyMs: number, given: () => void) => {
      work = given;
      return () => (work = undefined);
    },
    get isRunning() {
      return work !== undefined;
    },
    ring: () => work?.(),
  };
}

async function started(options: { onMessage?: (message: MailboxMessage) => void; url?: string } = {}) {
  const timer = bell();
  const deps = { client: client(), clock: systemClock, ticker: timer.ticker };
  const answer = await holdSession(deps, { name: "indexer", purpose: "Index the archive", ...options });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return { session: answer.value as HeldSession, timer };
}

describe("a held session", () => {
  test("tells its state, its turns and its calls", async () => {
    const { session } = await started();
    session.toolCall({ tool: "fetch", command: "https://example.org" });
    session.turn({ role: "assistant", text: "Indexed 12 of 40." });
    await session.tell({ busy: true, tokensIn: 1200 });
    expect(await get(`/api/internal/sessions/${session.sessionId}`)).toMatchObject({
      status: "live",
      heartbeat: {
        busy: true,
        tokensIn: 1200,
        turnsCompleted: 1,
        toolCalls: [{ tool: "fetch", command: "https://example.org" }],
      },
    });
    await session.end();
  });

  test("ends with its outcome, stops its timer, and may be ended twice", async () => {
    const { session, timer } = await started();
    expect(await session.end("indexed 40 documents")).toMatchObject({ ok: true });
    expect(timer.isRunning).toBe(false);
    expect(session.ended.aborted).toBe(true);
    expect(await session.end()).toMatchObject({ ok: true });
    expect(await get(`/api/internal/sessions/${session.sessionId}`)).toMatchObject({
      status: "ended",
      outcome: "indexed 40 documents",
    });
  });

  test("stops when somebody else has ended it, and says why", async () => {
    const { session, timer } = await started();
    await client().call("POST", `/api/internal/sessions/${session.sessionId}/end`, {
      body: { outcome: "enough" },
    });
    timer.ring();
    await session.beat();
    expect(session.ended.aborted).toBe(true);
    expect(session.ended.reason).toMatchObject({
      code: "session_ended",
      detail: expect.stringContaining("enough"),
    });
    expect(timer.isRunning).toBe(false);
  });

  test("lives through a host that is away", async () => {
    const timer = bell();
    const near = client();
    let away = false;
    const troubles: string[] = [];
    const call: typeof near.call = (method, path, options) =>
      away
        ? createClient({ url: "http://127.0.0.1:9", key: "k" }).call(method, path, options)
        : near.call(method, path, options);
    const answer = await holdSession(
      { client: { call }, clock: systemClock, ticker: timer.ticker },
      { name: "indexer", purpose: "Index", onTrouble: ({ code }) => troubles.push(code) },
    );
    if (!answer.ok) throw new Error(answer.problem.detail);
    away = true;
    await answer.value.tell({ busy: true });
    expect(troubles).toEqual(["unreachable"]);
    away = false;
    timer.ring();
    await answer.value.beat();
    const shown = await get(`/api/internal/sessions/${answer.value.sessionId}`);
    expect(shown).toMatchObject({ heartbeat: { busy: true } });
    await answer.value.end();
  });
});
