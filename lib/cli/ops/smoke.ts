import type { Enqueued, ShownRunRecord } from "../../client/answers.ts";
import { createClient, segment, type Answer, type Client } from "../../client/client.ts";
import type { Clock } from "../../core/clock.ts";
import { SECOND_MS } from "../../core/duration.ts";
import { pause } from "../pause.ts";
import type { Finding } from "./doctor.ts";

/** A model may think, and a lost doorbell waits for the next round. */
const PATIENCE_MS = 360 * SECOND_MS;
const POLL_MS = 500;

/** A name of its own each time: a memo that was removed is gone for good, with its id. */
const workflowOf = (name: string): string => `# Smoke test ${name}

Made by \`mythos doctor --smoke\` and removed by it.

## Trigger
- **Command** \`/${name}\`
- **Status** \`live\`
- **Summary** Drafts one memo and holds it, to see that everything works
- **Input** \`topic\` string — what about

## Load Contract

## Steps
1. **trigger** \`brief\` Take it.
2. **context** \`gather\` Nothing to gather.
3. **process** \`draft\` Write one sentence about {{payload.topic}}.
4. **output** \`publish\` File it.
   - **Title** \`{{payload.topic}}\`

## Policy
- **Approval** \`hold\`
- **Destination** \`memo\`
- **Tags** \`mythos-smoke\`
- **Budget** \`20k tokens\` per run
- **Hold expires** \`1d\` then \`cancel\`
`;

type Given = {
  url: string;
  agentKey: string;
  stewardKey: string;
  clock: Clock;
  progress(line: string): void;
};

/**
 * Takes one item the whole way on a host: a session, an enqueue, a hold, a person's approval, the memo; then removes
 * what it made. It stops at the first step that fails, and removes what is there by then.
 */
export async function smoke(given: Given): Promise<Finding[]> {
  const { url, agentKey, stewardKey, progress } = given;
  const findings: Finding[] = [];
  const name = `mythos-smoke-${given.clock.now().toString(36)}`;
  const steward = createClient({ url, key: stewardKey });
  const undo: (() => Promise<Answer<unknown>>)[] = [];
  /** One step, by its name; what it finds is what the next one works with. */
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    progress(`smoke: ${name} …`);
    try {
      const value = await work();
      findings.push({ check: "smoke", state: "ok", found: name });
      return value;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      findings.push({ check: "smoke", state: "fail", found: `${name}: ${why}` });
      throw error;
    }
  };
  try {
    const agent = await step("a session", async () => {
      const body = { name: "smoke", purpose: "mythos doctor --smoke" };
      const plain = createClient({ url, key: agentKey });
      const made = valueOf(
        await plain.call<{ sessionId: string }>("POST", "/api/internal/sessions", { body }),
      );
      undo.push(() =>
        plain.call("POST", `/api/internal/sessions/${segment(made.sessionId)}/end`, { body: {} }),
      );
      return createClient({ url, key: agentKey, sessionId: made.sessionId });
    });
    await step("a workflow", async () => {
      const body = { files: [{ path: `${name}.md`, text: workflowOf(name) }] };
      const { files } = valueOf(
        await steward.call<{ files: { outcome: string; memoId: string; message?: string }[] }>(
          "POST",
          "/api/memos/import",
          { body },
        ),
      );
      const [file] = files;
      if (!file || file.outcome === "refused") throw new Error(file?.message ?? "nothing was imported");
      undo.push(() => removed(steward, file.memoId));
    });
    const { runId } = await step("an enqueue", async () => {
      const topic = `Smoke test of ${new Date(given.clock.now()).toISOString()}`;
      const body = { payload: { topic } };
      return valueOf(await agent.call<Enqueued>("POST", `/api/workflows/${name}/items`, { body }));
    });
    let isDone = false;
    undo.push(async () =>
      isDone
        ? { ok: true, value: null }
        : agent.call("POST", `/api/runs/${segment(runId)}/cancel`, { body: {} }),
    );
    const holdId = await step("a hold", async () => {
      const run = await runThat(given, agent, runId, ({ status }) => status === "suspended");
      return run.holdId ?? "";
    });
    await step("a person's approval", async () => {
      const hold = valueOf(await steward.call<{ sha256: string }>("GET", `/api/holds/${segment(holdId)}`));
      const body = { verdict: "approve", sha256: hold.sha256 };
      return valueOf(await steward.call("POST", `/api/holds/${segment(holdId)}/decision`, { body }));
    });
    await step("the memo", async () => {
      const { landing } = await runThat(given, agent, runId, ({ status }) => status === "done");
      isDone = true;
      const memoId = String(landing?.["memoId"] ?? "");
      valueOf(await steward.call("GET", `/api/memos/${segment(memoId)}`));
      undo.push(() => removed(steward, memoId));
    });
  } catch {
    // Said in the findings; what was made so far is still removed.
  }
  const left: string[] = [];
  for (const take of undo.toReversed()) {
    const answer = await take();
    if (!answer.ok) left.push(answer.problem.detail);
  }
  findings.push(
    left.length === 0
      ? { check: "smoke", state: "ok", found: "cleaned up" }
      : { check: "smoke", state: "warn", found: `not all could be removed: ${left.join("; ")}` },
  );
  progress("");
  return findings;
}

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw new Error(answer.problem.detail);
}

async function removed(client: Client, memoId: string): Promise<Answer<unknown>> {
  const path = `/api/memos/${segment(memoId)}`;
  const memo = await client.call<{ contentVersion: number }>("GET", path);
  if (!memo.ok) return memo;
  return client.call("DELETE", path, { headers: { "if-match": `"${memo.value.contentVersion}"` } });
}

/** The run once it is as it should be. @throws when it ends otherwise, or takes too long */
async function runThat(
  { clock }: Pick<Given, "clock">,
  client: Client,
  runId: string,
  isRight: (run: ShownRunRecord) => boolean,
): Promise<ShownRunRecord> {
  for (const until = clock.now() + PATIENCE_MS; clock.now() < until; await pause(POLL_MS)) {
    const answer = await client.call<ShownRunRecord>("GET", `/api/runs/${segment(runId)}`);
    if (!answer.ok && answer.problem.code === "run_not_found") continue;
    const run = valueOf(answer);
    if (isRight(run)) return run;
    if (run.status === "failed" || run.status === "cancelled") {
      throw new Error(`run ${runId} is ${run.status}${run.error ? `: ${run.error.message}` : ""}`);
    }
  }
  throw new Error(`run ${runId} took longer than ${PATIENCE_MS / SECOND_MS} s`);
}
