import type { Principal } from "../../lib/core/principal.ts";
import { createSession, type NewSession } from "../../lib/sessions/create.ts";
import { HeartbeatReport } from "../../lib/sessions/heartbeat.ts";
import { reportHeartbeat } from "../../lib/sessions/report-heartbeat.ts";
import { createSessionStore } from "../../lib/sessions/store.ts";
import { OWNER, type Before } from "../e2e/test-host.ts";
import { clientOf, runThatIs, type Client, type Enqueued } from "../e2e/client.ts";
import { testClock } from "../support/clock.ts";
import { agentOf, humanOf } from "../support/http-event.ts";
import { randomIds } from "../../lib/core/ids.ts";
import type { givenPages } from "./browser.ts";
import { HOSTILE } from "./hostile.ts";

const HOUR_MS = 60 * 60_000;
const NASTY = `${HOSTILE["markup in markup"]} ${HOSTILE["bidi"]}`.replaceAll(/\s+/g, " ");

/** A session that was opened two hours ago, and what its agent told then. */
type Old = { session: Partial<NewSession>; principal?: Principal; report?: object };

const merged = { worktree: { branch: "b", dirty: false, pr: { state: "merged", number: 7 } } };
const said = (text: string) => ({ tokensIn: 50, tokensOut: 20, turns: [{ role: "assistant", text }] });
const cron = (nth: number) => ({ origin: `cron:job-${nth}` });

/** Its own word and its merged work are enough; an opened pull request of which no more is known keeps the rules off. */
const OVER = {
  ...said("Done."),
  openedPrs: [{ url: "https://example.com/pull/9", state: "merged" }, { url: "https://example.com/pull/8" }],
  worktree: { pr: { state: "merged", number: 9 } },
  toolCalls: [{ tool: "message_parent", kind: "done" }],
};

/** One for each thing that a report can say of an idle session. */
export const ONE_OF_EACH: readonly Old[] = [
  {
    session: { ...cron(1), name: "finished long ago" },
    report: { ...said("All of it is merged."), ...merged },
  },
  { session: { ...cron(2), name: "nobody knows" }, report: said("Report 2: finished.") },
  { session: { ...cron(3), name: "never started" } },
  {
    session: { origin: "vscode", name: "a person’s own" },
    principal: humanOf(OWNER),
    report: { ...said("All done."), ...merged },
  },
  { session: { ...cron(4), name: "told that it is done" }, report: OVER },
  {
    session: { origin: "vscode", name: "a person’s, that is over" },
    principal: humanOf(OWNER),
    report: OVER,
  },
  { session: { origin: NASTY.slice(0, 110), name: NASTY.slice(0, 120) }, report: said(NASTY.slice(0, 2900)) },
];

/** As many that never started. */
export const manyOld = (count: number): readonly Old[] =>
  Array.from({ length: count }, (_, nth) => ({
    session: { ...cron(nth), name: `worker ${nth} of a rather large fleet` },
  }));

/** Sessions that were opened before the host was. */
export const openedBefore =
  (fleet: readonly Old[], at = Date.now() - 2 * HOUR_MS): Before =>
  async ({ doc, tables }) => {
    const deps = {
      sessions: createSessionStore(doc, tables),
      clock: testClock(at),
      ids: randomIds,
    };
    for (const { session, principal = agentOf(OWNER), report } of fleet) {
      const input = { name: "n", purpose: "Work on something", ...session, principal };
      const { sessionId } = await createSession(deps, input);
      if (!report) continue;
      await reportHeartbeat(deps, { principal, sessionId, report: HeartbeatReport.parse(report) });
    }
  };

/** Sessions of today: one repeats itself, one failed, one person's stands still, two have ended. */
export async function openToday(agent: Client, steward: Client) {
  const open = async (client: Client, name: string, report?: object) => {
    const body = { name, purpose: "Work on something", origin: "cron:today" };
    const { sessionId } = await client.post<{ sessionId: string }>("/api/internal/sessions", body);
    if (report) await client.post(`/api/internal/sessions/${sessionId}/heartbeat`, report);
    return sessionId;
  };
  const at = Date.now();
  const call = (command: string, n: number) => ({ tool: "shell", command, at: at - n * 1000 });
  const failed = { lastTurnErroredAt: at, lastTurnError: "<b>overloaded</b>", tokensIn: 1, tokensOut: 1 };
  const looping = await open(agent, "goes in circles", {
    busy: true,
    toolCalls: [1, 2, 3, 4, 5].map((n) => call("cat notes.md", n)),
  });
  const stalled = await open(agent, "failed a moment ago", failed);
  const persons = await open(steward, "a person’s, that failed", failed);
  for (const name of ["ended of itself", NASTY.slice(0, 120)]) {
    const ended = await open(agent, name, failed);
    await agent.post(`/api/internal/sessions/${ended}/end`, {});
  }
  return { looping, stalled, persons };
}

/** A pass that is over, of a person who asks for it over the API. */
export async function passOver(
  { host }: Pick<Awaited<ReturnType<typeof givenPages>>, "host">,
  payload: object = {},
): Promise<string> {
  const steward = clientOf(host, host.keys.stewardKey);
  const body = { payload, dedupeKey: crypto.randomUUID() };
  const { runId } = await steward.post<Enqueued>("/api/workflows/session-steward/items", body);
  await runThatIs(steward, runId, "done");
  return runId;
}
