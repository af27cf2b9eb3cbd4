import type { ListedSession } from "../../../lib/sessions/store.ts";
import { PLAIN_WORKFLOW } from "../../support/loop.ts";
import type { Engine } from "../../support/engine.ts";
import { scriptedModel } from "../../support/scripted-model.ts";
import { createStewardLoop, type StewardPass } from "../../support/steward-loop.ts";
import { judgeSays, openFleet, passHour } from "./day.ts";

/** Older sessions of the schedule are those of the job that asks. */
const INPUT = { apply: true, maxJudged: 100, callerOrigin: "cron:memo_session-steward.0" };

const changed = (before: ListedSession, after: ListedSession): boolean =>
  before.status !== after.status || JSON.stringify(before.wrapupFlag) !== JSON.stringify(after.wrapupFlag);

export type Day = { appId: string; hours: number; share: number };

/** A day of a fleet, a pass an hour, with a judge that says the same of each session every time. */
export async function liveDay(engine: Engine, { appId, hours, share }: Day) {
  const model = scriptedModel((request) => {
    if (request.stepId !== "reply") return "# A draft";
    const { candidate } = JSON.parse(request.parts[0]!.text) as {
      candidate: { sessionId: string; label: string };
    };
    return judgeSays(candidate.label)(candidate.sessionId);
  });
  const house = createStewardLoop(engine, { model });
  await house.loop.importFiles({ "plain.md": PLAIN_WORKFLOW });
  const fleet = await openFleet(house, share);
  const passes: { pass: StewardPass; before: ListedSession[]; after: ListedSession[] }[] = [];
  for (let hour = 0; hour < hours; hour++) {
    await passHour(house, fleet, hour);
    const before = await house.sessions.readSessions([...fleet.keys()]);
    const pass = await house.pass({ ...INPUT, appId });
    passes.push({ pass, before, after: await house.sessions.readSessions([...fleet.keys()]) });
  }
  const judged = model.calls.filter(({ stepId }) => stepId === "reply").length;
  return { fleet, passes, judged };
}

/** What a day must hold, whatever the judge says: what went wrong, in words. */
export function faultsOfDay({ fleet, passes }: Awaited<ReturnType<typeof liveDay>>): string[] {
  const faults: string[] = [];
  for (const [hour, { pass, before, after }] of passes.entries()) {
    const rows = new Map(pass.rows.map((row) => [row.sessionId, row]));
    for (const [nth, session] of after.entries()) {
      if (!changed(before[nth]!, session)) continue;
      const { kind } = fleet.get(session.sessionId)!;
      const became = session.status === "ended" ? "closed" : "flagged";
      const fault = (why: string) => faults.push(`hour ${hour}: ${session.name} was ${became}: ${why}`);
      // Every change is explained in the report of its pass.
      const row = rows.get(session.sessionId);
      if (row?.outcome !== became || row.reason === "") fault("no row of the report says so");
      if (!pass.report.includes(session.name)) fault("the report does not name it");
      if (session.status === "ended" && session.originClass === "human") fault("a person opened it");
      if (!(session.status === "ended" ? kind.mayEnd : kind.mayFlag)) fault("its kind is left alone");
    }
  }
  return faults;
}

/** Sessions of a kind that still live after the day. */
export const aliveOf = (sessions: readonly ListedSession[], kind: string): string[] =>
  sessions.filter(({ purpose, status }) => purpose === kind && status === "live").map(({ name }) => name);
