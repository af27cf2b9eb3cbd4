/*
 * How quickly the pages answer over a large library: 10,000 runs, 500 open holds, 5,000 memos.
 *
 *   npm run bench:pages
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startHost, type Host } from "../../infra/local/host.ts";
import { callOrThrow } from "../../infra/local/api-call.ts";
import { PLAIN_WORKFLOW, AUTO_WORKFLOW } from "../support/loop.ts";
import { copyRuns } from "./many-rows.ts";

const WORDS = ["east", "west", "north", "south", "house"];
const RUNS = 10_000;
const HOLDS = 500;
const MEMOS = 5000;
const TIMES = 15;
const LIMIT_MS = 150;
const say = (line: string) => void process.stdout.write(`${line}\n`);

const dataDir = mkdtempSync(join(tmpdir(), "loops-pages-"));
let host = await startHost({ dataDir, port: 0, quiet: true });
try {
  const { runs, memoId, workflowId, sessionId } = await seed();
  await host.stop();
  say(`copying: ${RUNS} runs, ${HOLDS} of them held`);
  await copyRuns(dataDir, [
    { runId: runs.done, count: RUNS - HOLDS },
    { runId: runs.held, count: HOLDS },
  ]);
  host = await startHost({ dataDir, port: 0, quiet: true });
  const cookie = await signIn(host);
  const { items } = await twin(host, cookie, "/steward/holds");
  const holdId = String(items[0]?.["holdId"]);
  const paths = [
    "/steward/holds",
    `/steward/holds/${holdId}`,
    "/steward/runs",
    `/steward/runs/${runs.done}`,
    "/steward/queue",
    "/steward/sessions",
    `/steward/sessions/${sessionId}`,
    "/steward/workflows",
    `/steward/workflows/${workflowId}`,
    "/steward/memos",
    "/steward/memos?q=lane",
    `/steward/memos/${memoId}`,
    "/steward/passes",
    "/steward/notices",
    "/steward/audit",
  ];
  let over = 0;
  say(
    `\n${"page".padEnd(30)} ${"p50 ms".padStart(8)} ${"p95 ms".padStart(8)} ${"first ms".padStart(9)} ${"KB".padStart(7)}`,
  );
  for (const path of paths) {
    const took: number[] = [];
    let bytes = 0;
    for (let time = 0; time <= TIMES; time++) {
      const from = performance.now();
      const answer = await fetch(`${host.url}${path}`, { headers: { cookie } });
      bytes = (await answer.arrayBuffer()).byteLength;
      took.push(performance.now() - from);
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    }
    const [first = 0, ...warm] = took;
    warm.sort((a, b) => a - b);
    const p50 = warm[Math.floor(warm.length / 2)] ?? 0;
    const p95 = warm[Math.floor(warm.length * 0.95)] ?? 0;
    if (p50 > LIMIT_MS) over++;
    const name = path.replace(/(run|hold|memo|ses)_[\w-]+/, "$1_…");
    say(
      `${name.padEnd(30)} ${p50.toFixed(0).padStart(8)} ${p95.toFixed(0).padStart(8)} ` +
        `${first.toFixed(0).padStart(9)} ${(bytes / 1024).toFixed(1).padStart(7)}`,
    );
  }
  say(`\n${paths.length} pages, ${over} over ${LIMIT_MS} ms (p50 of ${TIMES})`);
} finally {
  await host.stop();
  rmSync(dataDir, { recursive: true });
}

/** A library, one run that is done and one that is held: what the others are copies of. */
async function seed() {
  const steward = { url: host.url, key: host.keys.stewardKey };
  const workflows = [
    { path: "plain.md", text: PLAIN_WORKFLOW },
    { path: "auto.md", text: AUTO_WORKFLOW },
  ];
  await callOrThrow(steward, "POST", "/api/memos/import", { body: { files: workflows } });
  for (let start = 0; start < MEMOS; start += 100) {
    const files = Array.from({ length: 100 }, (_, n) => ({
      path: `notes/${start + n}.md`,
      text: `# Note ${start + n}\n\nA lane of the ${WORDS[n % WORDS.length]} ${start + n}, and what was said of it.\n`,
    }));
    await callOrThrow(steward, "POST", "/api/memos/import", { body: { files } });
    if (start % 1000 === 0) say(`memos: ${start} of ${MEMOS}`);
  }
  const session = { name: "bench", purpose: "Be there" };
  const { sessionId } = await callOrThrow(steward, "POST", "/api/internal/sessions", { body: session });
  const runOf = async (command: string) => {
    const { runId } = await callOrThrow(steward, "POST", `/api/workflows/${command}/items`, {
      body: { payload: { topic: "A lane" } },
      sessionId: String(sessionId),
    });
    return String(runId);
  };
  const runs = { done: await runOf("auto"), held: await runOf("plain") };
  for (const [runId, status] of [
    [runs.done, "done"],
    [runs.held, "suspended"],
  ] as const) {
    for (let time = 0; (await runStatus(runId)) !== status; time++) {
      if (time > 200) throw new Error(`${runId} is not ${status}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const { items } = (await callOrThrow(steward, "GET", "/api/memos?limit=1")) as {
    items: { memoId: string }[];
  };
  const { workflowId } = await callOrThrow(steward, "GET", `/api/runs/${runs.done}`);
  return { runs, memoId: items[0]!.memoId, workflowId: String(workflowId), sessionId: String(sessionId) };

  async function runStatus(runId: string): Promise<unknown> {
    return (await callOrThrow(steward, "GET", `/api/runs/${runId}`).catch(() => ({ status: "" })))["status"];
  }
}

async function signIn({ url, keys }: Host): Promise<string> {
  const { path } = await callOrThrow({ url, key: keys.stewardKey }, "POST", "/api/sign-in-links");
  const token = new URL(String(path), url).searchParams.get("t") ?? "";
  const answer = await fetch(`${url}/steward/sign-in`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ token }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
  });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function twin({ url }: Host, cookie: string, path: string) {
  const answer = await fetch(`${url}${path}.json`, { headers: { cookie } });
  return (await answer.json()) as { items: Record<string, unknown>[] };
}
