import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ERRORS, isAppError } from "../../lib/core/errors.ts";
import { laneKey } from "../../lib/core/keys.ts";
import { requesterOf } from "../../lib/core/principal.ts";
import { memoHistory } from "../../lib/memos/read.ts";
import { writeMemo } from "../../lib/memos/write.ts";
import type { RunBell } from "../../lib/queue/doorbell.ts";
import { itemKeyOf } from "../../lib/queue/item.ts";
import { cancel } from "../../lib/runs/cancel.ts";
import { runTicket } from "../../lib/runs/execute.ts";
import { stepPrefix } from "../../lib/runs/parts.ts";
import { STUCK_RUN_MS } from "../../lib/runs/recover.ts";
import { isTerminal } from "../../lib/runs/run.ts";
import { lease } from "../../lib/runs/writes.ts";
import { testClock } from "../support/clock.ts";
import type { Engine } from "../support/engine.ts";
import { agent, AUTO_WORKFLOW, createLoop, OWNER, PLAIN_WORKFLOW, steward } from "../support/loop.ts";
import { scriptedModel } from "../support/scripted-model.ts";

/** A run from its enqueue to its end, told through one client. */
export type Story = {
  command: "/plain" | "/auto";
  act: "approve" | "reject" | "cancel" | "expire" | "none";
  /** The first runner dies as soon as it has the run. */
  dies?: boolean;
  /** It fills in a memo that is there. */
  updates?: boolean;
  ends: "done" | "cancelled";
};

export const STORIES: Record<string, Story> = {
  "an approved hold": { command: "/plain", act: "approve", ends: "done" },
  "an approved update": { command: "/plain", act: "approve", updates: true, ends: "done" },
  "a rejected hold": { command: "/plain", act: "reject", ends: "cancelled" },
  "an expired hold": { command: "/plain", act: "expire", ends: "cancelled" },
  "a cancelled hold": { command: "/plain", act: "cancel", ends: "cancelled" },
  "a run whose runner died": { command: "/auto", act: "none", dies: true, ends: "done" },
};

let told = 0;
let ids = 0;
const idsOfAll = <P extends string>(prefix: P): `${P}_${string}` => `${prefix}_${++ids}`;

/** A library for all stories of a file, written over the client without faults. */
export async function givenLibrary(engine: Pick<Engine, "doc" | "tables">) {
  const loop = createLoop(engine, { model: scriptedModel({}), ids: idsOfAll });
  const files = await loop.importFiles({ "plain.md": PLAIN_WORKFLOW, "auto.md": AUTO_WORKFLOW });
  return { engine, loop, workflowIds: { "/plain": files["plain.md"]!, "/auto": files["auto.md"]! } };
}
export type Library = Awaited<ReturnType<typeof givenLibrary>>;

export type Told = Awaited<ReturnType<typeof givenStory>>;

/** A key, a memo and a model of the story's own. */
export async function givenStory({ engine, loop, workflowIds }: Library, story: Story) {
  const key = `told${++told}`;
  const memoId = `memo_${key}` as const;
  await writeMemo(loop, {
    ownerUid: OWNER,
    memoId,
    base: null,
    content: { title: memoId, body: "stub" },
    writeToken: "stub",
    writtenBy: requesterOf(steward),
    sessionId: null,
    runId: null,
  });
  const model = scriptedModel((_request, nth) => `Draft ${nth + 1}.`);
  const workflowId = workflowIds[story.command];
  return { story, engine, key, memoId, workflowId, model, clock: testClock(), bells: [] as RunBell[] };
}

/**
 * What the producer, the queue, the rules and people do, each again when it was refused for the store's sake. The
 * codes of those refusals.
 */
export async function tell(told: Told, doc: DynamoDBDocumentClient): Promise<string[]> {
  const { story, key, model, clock, bells, memoId } = told;
  const loop = createLoop({ doc, tables: told.engine.tables }, { model, clock, bells, ids: idsOfAll });
  const refusals: string[] = [];
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isAppError(error) || ERRORS[error.code].disposition !== "retry" || attempt > 3) throw error;
        refusals.push(error.code);
      }
    }
  };
  const payload = { topic: "fault", ...(story.updates && { targetMemoId: memoId }) };
  const enqueued = () => loop.enqueue(story.command, payload, { dedupeKey: key });
  const { runId } = await again(enqueued);
  let hasDied = !story.dies;
  for (let round = 0; round < 12; round++) {
    await again(() => loop.resume());
    await again(() => loop.pass());
    for (let bell = bells.shift(); bell; bell = bells.shift()) {
      const ticket = bell;
      if (!hasDied) {
        hasDied = true;
        await again(
          async () => void (await loop.runs.writeHead(runId, lease(ticket.epoch, "lease_dead", clock.now()))),
        );
      } else await again(() => runTicket(loop.runner, ticket));
    }
    const run = await again(() => loop.runs.readHead(runId));
    if (run && isTerminal(run)) break;
    if (run?.status !== "suspended" || run.gate.decision) clock.advance(STUCK_RUN_MS + 1);
    else if (story.act === "expire") clock.advance(run.gate.expiresAt);
    else if (story.act === "cancel") await again(() => cancel(loop, runId, agent));
    else if (story.act !== "none") {
      const { holdId, sha256 } = run.gate;
      const { act } = story;
      // Named, as a client does that may have to ask again.
      const request = { verdict: act, sha256, decisionId: `dec_${key}` };
      await again(() => loop.say(holdId, request));
    }
    await again(() => loop.recover());
  }
  return refusals;
}

/** How it ended, read over the client without faults. */
export async function endOf(told: Told) {
  const { engine, key, workflowId, model, clock, memoId, story } = told;
  const loop = createLoop(engine, { model, clock });
  const lane = laneKey(OWNER, workflowId);
  const item = await loop.queue.readItem(lane, itemKeyOf(key));
  const runId = item && item.status !== "pending" ? item.runId : "";
  const run = await loop.runs.readHead(runId);
  const landing = run?.status === "done" ? run.landing : undefined;
  const landedIn = (landing?.memoId ?? memoId) as `memo_${string}`;
  const history = await memoHistory(loop, OWNER, landedIn);
  return {
    item: item?.status,
    run: run?.status,
    slots: [...(await loop.queue.readLane(lane)).inFlight].filter((id) => id === runId),
    active: (await loop.runs.activeRuns(1000)).runIds.filter((id) => id === runId),
    landings: history.filter(({ writeToken }) => writeToken.startsWith(runId)).length,
    versions: history.length,
    outputs: (await loop.runs.readParts(runId, stepPrefix(2, 1))).length,
    calls: model.calls.length,
    expected: { story },
  };
}

/** How a story ends when nothing goes wrong, which is how it must end whatever does. */
export const goodEnd = (story: Story) => ({
  item: story.ends,
  run: story.ends,
  slots: [],
  active: [],
  landings: story.ends === "done" ? 1 : 0,
  versions: story.ends === "done" && !story.updates ? 1 : story.updates ? 2 : 1,
  outputs: 1,
  calls: 1,
  expected: { story },
});
