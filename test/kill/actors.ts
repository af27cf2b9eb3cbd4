import { setTimeout as wait } from "node:timers/promises";
import type { Acknowledged } from "./acknowledged.ts";
import type { HostProcess } from "./host-process.ts";

export type Stage = {
  host: HostProcess;
  random: () => number;
  acknowledged: Acknowledged;
  commands: readonly { command: string; held: boolean }[];
  /** Memos that people and runs write into. */
  shared: readonly string[];
  isOver(): boolean;
};

const oneOf = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)]!;

/** An agent that enqueues, and now and then repeats what it has enqueued before. */
export async function enqueue(stage: Stage, { count, everyMs }: { count: number; everyMs: number }) {
  const { host, random, acknowledged } = stage;
  for (let n = 0; n < count && !stage.isOver(); n++) {
    const { command, held } = oneOf(stage.commands, random);
    const topic = `topic-${n}`;
    const targetMemoId = random() < 0.3 ? oneOf(stage.shared, random) : undefined;
    const request = { payload: { topic, ...(targetMemoId && { targetMemoId }) }, dedupeKey: topic };
    const path = `/api/workflows${command}/items`;
    const { status, body } = await host.answer("POST", path, "agentKey", request);
    if (status > 202) throw new Error(`enqueue: ${status} ${JSON.stringify(body)}`);
    const ids = { itemId: String(body["itemId"]), runId: String(body["runId"]) };
    acknowledged.items.set(topic, { command, topic, dedupeKey: topic, held, ...ids });
    if (random() < 0.1) await host.answer("POST", path, "agentKey", request);
    await wait(random() * 2 * everyMs);
  }
}

type Hold = { holdId: string; runId: string; kind?: string; sha256: string };

/** A steward who decides what is held, in every way there is; at the end only in ways that finish the work. */
export async function decide(stage: Stage, isDraining: () => boolean): Promise<void> {
  const { host, random, acknowledged } = stage;
  let nth = 0;
  while (!stage.isOver()) {
    const listed = await host.call("GET", "/api/holds?limit=100", "stewardKey");
    for (const hold of (listed?.body["items"] ?? []) as Hold[]) {
      if (stage.isOver()) return;
      const said = await verdictOn(stage, hold, isDraining());
      if (!said) continue;
      const body = { ...said, sha256: hold.sha256, decisionId: `soak-${nth++}` };
      const answer = await host.call("POST", `/api/holds/${hold.holdId}/decision`, "stewardKey", body);
      if (answer?.status === 200)
        acknowledged.decisions.push({ runId: hold.runId, holdId: hold.holdId, verdict: said.verdict });
      // The same again, as a client whose answer was lost would ask.
      if (random() < 0.05) await host.call("POST", `/api/holds/${hold.holdId}/decision`, "stewardKey", body);
    }
    await wait(50);
  }
}

type Said = { verdict: string } & Record<string, unknown>;

async function verdictOn(stage: Stage, hold: Hold, isDraining: boolean): Promise<Said | undefined> {
  const { random, host } = stage;
  if (hold.kind === "budget") return { verdict: "allow_once" };
  if (hold.kind === "conflict") {
    if (isDraining || random() < 0.5) return { verdict: "keep_both" };
    const shown = await host.call("GET", `/api/holds/${hold.holdId}`, "stewardKey");
    const onVersion = (shown?.body["conflict"] as { theirs?: { contentVersion?: number } } | undefined)
      ?.theirs?.contentVersion;
    if (!onVersion || random() < 0.2) return { verdict: "reject", reason: "not needed" };
    return random() < 0.5
      ? { verdict: "replace", onVersion }
      : { verdict: "rebase", onVersion, text: `Merged by a person on ${onVersion}.` };
  }
  if (isDraining) return { verdict: "approve" };
  const die = random();
  if (die < 0.55) return { verdict: "approve" };
  if (die < 0.7) return { verdict: "reject", reason: "wrong" };
  if (die < 0.8) return { verdict: "approve_edited", text: `Edited by a person, ${hold.holdId}.` };
  if (die < 0.9) return { verdict: "request_changes", reason: "shorter, please" };
  return undefined;
}

/** A person who edits the shared memos, each time on the version just read. */
export async function edit(stage: Stage, everyMs: number): Promise<void> {
  const { host, random, acknowledged } = stage;
  for (let n = 0; !stage.isOver(); n++) {
    await wait(random() * 2 * everyMs);
    const memoId = oneOf(stage.shared, random);
    const read = await host.call("GET", `/api/memos/${memoId}`, "stewardKey");
    if (read?.status !== 200) continue;
    const text = `person-edit-${n} of ${memoId}`;
    const version = Number(read.body["contentVersion"]);
    const headers = { "if-match": `"${version}"` };
    const answer = await host.call("PUT", `/api/memos/${memoId}`, "stewardKey", { body: text }, headers);
    if (answer?.status === 200)
      acknowledged.edits.push({ memoId, contentVersion: Number(answer.body["contentVersion"]), text });
  }
}

/** Somebody who cancels a random run or item now and then. */
export async function cancel(stage: Stage, everyMs: number): Promise<void> {
  const { host, random, acknowledged } = stage;
  while (!stage.isOver()) {
    await wait(random() * 2 * everyMs);
    const items = [...acknowledged.items.values()];
    if (items.length === 0) continue;
    // Mostly a late one, since an early one has long ended.
    const item = random() < 0.8 ? items.at(-1)! : oneOf(items, random);
    const path = random() < 0.5 ? `/api/runs/${item.runId}/cancel` : `/api/items/${item.itemId}/cancel`;
    const answer = await host.call("POST", path, "agentKey");
    if (answer?.status === 200) acknowledged.cancelled.add(item.runId);
  }
}
