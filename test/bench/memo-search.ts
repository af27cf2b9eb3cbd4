import { readdirSync, readFileSync } from "node:fs";
import { createSearchIndex } from "../../lib/memos/search-index.ts";
import type { Memo } from "../../lib/memos/memo.ts";
import { sha256 } from "../../lib/core/bytes.ts";

/**
 * What a library of 10,000 memos of about 1 KB costs: CPU time of all threads to build the index (reading apart)
 * and per warm question; other load on the machine raises both.
 * `node test/bench/memo-search.ts`. Limits: 2 s and 10 ms.
 */
const MEMOS = 10_000;
/** Times a question is asked before its cost is measured. */
const WARM_UP = 50;
const QUESTIONS = [
  "Which psql and git settings do I keep forgetting, and why?",
  "how do I list the size of a table in a database",
  "configure pager",
  "postgrse cofnig",
];

const root = new URL("../fixtures/til/", import.meta.url).pathname;
const texts = (readdirSync(root, { recursive: true }) as string[])
  .filter((path) => path.endsWith(".md"))
  .map((path) => readFileSync(`${root}${path}`, "utf8"));
const vocabulary = [...new Set(texts.join(" ").split(/\s+/))];

let seed = 1;
const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** A real note with every seventh word taken from another. */
function memoOf(n: number): Memo {
  const body = (texts[n % texts.length] ?? "")
    .split(" ")
    .map((word) => (random() < 1 / 7 ? (vocabulary[Math.floor(random() * vocabulary.length)] ?? word) : word))
    .join(" ");
  const writtenBy = { principalId: "human:a", kind: "human" as const, uid: "a", username: "a" };
  return {
    memoId: `memo_${n}`,
    ownerUid: "a",
    title: body.slice(2, 40),
    body,
    tags: [`tag${n % 20}`],
    notes: "",
    notesTags: [],
    memoType: "note",
    visibility: "unlisted",
    contentVersion: 1,
    contentHash: sha256(body),
    notesHash: sha256(""),
    createdAt: n,
    updatedAt: n,
    writtenBy,
    sessionId: null,
    runId: null,
    writeToken: "write_1",
  };
}

const memos = Array.from({ length: MEMOS }, (_, n) => memoOf(n));
const index = createSearchIndex();
const start = cpuMs();
for (const memo of memos) index.put(memo);
const lines = [`build of ${MEMOS} memos: ${Math.round(cpuMs() - start)} ms`];
for (const question of QUESTIONS) {
  const ask = () => index.find(question, { tags: [], notTags: [], updatedSince: 0 }, 10);
  for (let n = 0; n < WARM_UP; n++) ask();
  const times = Array.from({ length: 101 }, () => {
    const before = cpuMs();
    ask();
    return cpuMs() - before;
  }).sort((a, b) => a - b);
  lines.push(`p50 ${times[50]?.toFixed(1)} ms, p90 ${times[90]?.toFixed(1)} ms: ${question}`);
}
process.stdout.write(`${lines.join("\n")}\n`);
