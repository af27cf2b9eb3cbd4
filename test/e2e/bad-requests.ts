import type { Request } from "./client.ts";

/** Ids of what one owner has, by kind. */
export type Ids = Record<"memo" | "workflow" | "session" | "item" | "run" | "hold" | "key", string>;

/** A request as it is written down. */
export type Written = {
  /** Method and path; `{memo}` and the like stand for ids. */
  at: string;
  /** Sent as JSON, or as it is when it is a text. */
  body?: unknown;
  /** Beside a good key and the content-type of JSON, or instead of them; undefined takes one away. */
  headers?: Record<string, string | undefined>;
};
export type Bad = Written & {
  name: string;
  status: number;
  code: string;
  /** A refusal that concerns a hold of the owner: it writes nothing but its row of the record. */
  onRecord?: boolean;
};

/** The request with a key, and with ids where its path names them. */
export function requestOf({ at, body, headers }: Written, key: string, ids: Partial<Ids>): Request {
  const [method = "", path = ""] = at.split(" ");
  const all: Written["headers"] = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...headers,
  };
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, kind: keyof Ids) => ids[kind] ?? "none"),
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    headers: Object.fromEntries(
      Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
    ),
  };
}

type Row = [name: string, at: string, body?: unknown, headers?: Written["headers"]];
const are = (status: number, code: string, rows: readonly Row[]): Bad[] =>
  rows.map(([name, at, body, headers]) => ({ name, at, body, status, code, ...(headers && { headers }) }));

const ITEMS = "POST /api/workflows/draft-memo/items";
const MEMOS = "POST /api/memos";
const MEMO = "PUT /api/memos/{memo}";
const IMPORT = "POST /api/memos/import";
const SESSIONS = "POST /api/internal/sessions";
const DECISION = "POST /api/holds/{hold}/decision";
const TAKE_BACK = "POST /api/holds/{hold}/take-back";
const REJECT = "POST /api/holds/reject";
const SNOOZE = "POST /api/holds/{hold}/snooze";

const SHA = `sha256:${"0".repeat(64)}`;
export const APPROVAL = { verdict: "approve", sha256: SHA };
const EDIT = { ...APPROVAL, verdict: "approve_edited" };
const REJECTED = { holdId: "hold_x", sha256: SHA };
export const BRIEF = { payload: { topic: "What is a lane, and how wide is it?" } };
const MEMO_TEXTS = { title: "x", body: "x" };
const SESSION = { name: "x", purpose: "x" };
const FILES = Array.from({ length: 101 }, (_, n) => ({ path: `${n}.md`, text: "# x" }));
const LARGE = "x".repeat(300 * 1024);
const NO_KEY = { authorization: undefined };
const LATER = { "if-match": '"7"' };

const FORM: Bad[] = [
  ...are(400, "malformed_json", [
    ["half an object", ITEMS, '{"payload": {'],
    ["a trailing comma", MEMOS, '{"title": "x",}'],
    ["a word", DECISION, "approve"],
    ["NaN", ITEMS, '{"payload": NaN}'],
  ]),
  ...are(415, "unsupported_media_type", [
    ["no content type", ITEMS, BRIEF, { "content-type": undefined }],
    ["a form", MEMOS, "title=x", { "content-type": "application/x-www-form-urlencoded" }],
    ["plain text", DECISION, APPROVAL, { "content-type": "text/plain" }],
  ]),
  ...are(413, "body_too_large", [
    ["300 KB of payload", ITEMS, { payload: { topic: LARGE } }],
    ["300 KB of purpose", SESSIONS, { ...SESSION, purpose: LARGE }],
  ]),
  ...are(400, "invalid_request", [
    ["no body", ITEMS],
    ["null", MEMOS, "null"],
    ["a list as payload", ITEMS, { payload: [1] }],
    ["a text as payload", ITEMS, { payload: "x" }],
    ["a number as title", MEMOS, { ...MEMO_TEXTS, title: 7 }],
    ["a text as tags", MEMOS, { ...MEMO_TEXTS, tags: "a" }],
    ["an unknown visibility", MEMOS, { ...MEMO_TEXTS, visibility: "public" }],
    ["files that are no list", IMPORT, { files: {} }],
    ["no files", IMPORT, { files: [] }],
    ["101 files", IMPORT, { files: FILES }],
    ["a session without purpose", SESSIONS, { name: "x" }],
    ["a negative count", "POST /api/internal/sessions/{session}/heartbeat", { tokensIn: -1 }],
    ["a number as outcome", "POST /api/internal/sessions/{session}/end", { outcome: 1 }],
    ["a field beside the payload", ITEMS, { ...BRIEF, priority: 1 }],
    ["an owner in a memo", MEMOS, { ...MEMO_TEXTS, ownerUid: "stranger" }],
    ["an owner in a session", SESSIONS, { ...SESSION, ownerUid: "stranger" }],
    ["a decider in a decision", DECISION, { ...APPROVAL, by: "human:stranger" }],
    ["a hash of the new memo", ITEMS, { ...BRIEF, landing: { source: { contentHash: SHA } } }],
    ["a hash of the new memo's notes", ITEMS, { ...BRIEF, landing: { source: { notesHash: SHA } } }],
    ["an empty dedupe key (F52)", ITEMS, { ...BRIEF, dedupeKey: "" }],
    ["an empty title", MEMOS, { ...MEMO_TEXTS, title: " " }],
    ["an empty id of a parent session (F52)", SESSIONS, { ...SESSION, parentSessionId: "" }],
    ["an empty name of a session", SESSIONS, { ...SESSION, name: "" }],
    ["300 KB of reason", DECISION, { ...APPROVAL, reason: LARGE }],
    ["an empty decision id", DECISION, { ...APPROVAL, decisionId: "" }],
  ]),
];

const CALLERS: Bad[] = are(401, "unauthenticated", [
  ["no key", ITEMS, BRIEF, NO_KEY],
  ["an empty bearer", ITEMS, BRIEF, { authorization: "Bearer " }],
  ["an empty x-api-key", ITEMS, BRIEF, { ...NO_KEY, "x-api-key": "" }],
  ["an unknown key", ITEMS, BRIEF, { authorization: `Bearer mk_key_0_${"x".repeat(43)}` }],
  ["a cron round with an API key", "GET /api/internal/cron/run-workflows"],
  ["dead letters with an API key", "GET /api/internal/dead-letters?queue=run"],
  ["a redrive with an API key", "POST /api/internal/dead-letters/redrive", { queue: "run" }],
]);

const PATHS: Bad[] = [
  ...are(404, "not_found", [
    ["an unknown path", "GET /api/nothing"],
    ["a path that is not UTF-8", "GET /api/memos/%ff"],
  ]),
  ...are(405, "method_not_allowed", [
    ["DELETE on a hold", "DELETE /api/holds/{hold}"],
    ["PATCH on a memo", "PATCH /api/memos/{memo}"],
    ["GET on a decision", "GET /api/holds/{hold}/decision"],
    ["PUT on items", "PUT /api/workflows/draft-memo/items"],
    ["a stream of MCP", "GET /mcp"],
    ["the end of a session of MCP", "DELETE /mcp"],
  ]),
];

const WORKFLOWS: Bad[] = [
  ...are(404, "workflow_not_found", [
    ["an unknown command", "POST /api/workflows/no-such-thing/items", BRIEF],
    ["a memo that is no workflow", "POST /api/workflows/{memo}/items", BRIEF],
  ]),
  ...are(400, "payload_invalid", [
    ["a payload without its topic", ITEMS, {}],
    ["a topic that is null", ITEMS, { payload: { topic: null } }],
    ["a topic that is a number", ITEMS, { payload: { topic: 7 } }],
    ["a target that is a number", ITEMS, { payload: { ...BRIEF.payload, targetMemoId: 7 } }],
    ["a target that is no id", ITEMS, { payload: { ...BRIEF.payload, targetMemoId: "../memo" } }],
  ]),
];

const LISTED = [
  "runs",
  "holds",
  "memos",
  "items",
  "passes",
  "workflows",
  "audit",
  "notices",
  "session-reports",
  "edges",
  "keys",
  "memos/{memo}/versions",
  "internal/sessions",
  "internal/sessions/{session}/timeline",
];
/** The form of ours, for a hold of some other list. */
const FOREIGN_CURSOR = Buffer.from('["00000000",{"runId":"run_x","openedAt":1}]').toString("base64url");
const ANOTHER_LISTS = Buffer.from('{"owner":"stranger"}').toString("base64url");
const LISTS: Bad[] = are(400, "invalid_request", [
  ["a cost by what there is not", "GET /api/cost?by=owner"],
  ["a cost since no number of days", "GET /api/cost?since=yesterday"],
  ["a cost since days that are not kept", "GET /api/cost?since=93d"],
  ["a cost of somebody else", "GET /api/cost?ownerUid=stranger"],
  ...LISTED.flatMap((list): Row[] => [
    ["a cursor of nothing", `GET /api/${list}?cursor=!`],
    ["a cursor of another service", `GET /api/${list}?cursor=${ANOTHER_LISTS}`],
    ["a cursor of another list", `GET /api/${list}?cursor=${FOREIGN_CURSOR}`],
    ...["0", "-1", "1000", "1.5", "ten", ""].map((limit): Row => [
      "a limit",
      `GET /api/${list}?limit=${limit}`,
    ]),
  ]),
  ["a cursor of a search, which is one page", `GET /api/memos?q=lane&cursor=${FOREIGN_CURSOR}`],
  ["a limit of a search", "GET /api/memos?q=lane&limit=0"],
  ["a state that no hold is listed by", "GET /api/holds?state=decided"],
  ["an order of holds that is none", "GET /api/holds?sort=title"],
  ["a state that no notice has", "GET /api/notices?state=new"],
  ["a time that is none", "GET /api/audit?since=yesterday"],
  ["an unknown filter", "GET /api/runs?state=done"],
  ["an unknown status", "GET /api/runs?status=open"],
  ["an unknown type", "GET /api/memos?type=essay"],
]);

const EDGE = { kind: "missing_tool", subject: "calendar", question: "When is it?" };
const SHAS = ["", "0".repeat(64), SHA.slice(0, -1), `${SHA}0`, SHA.replaceAll("0", "G"), SHA.toUpperCase()];
const DECISIONS: Bad[] = [
  ...are(400, "invalid_request", [
    ["a decision without sha", DECISION, { verdict: "approve" }],
    ["an unknown verdict", DECISION, { ...APPROVAL, verdict: "maybe" }],
    ["a verdict of the system", DECISION, { ...APPROVAL, verdict: "expire" }],
    ["a decider of somebody's choice (F68)", DECISION, { ...APPROVAL, decidedBy: "human:stranger" }],
    ["an approval with a text", DECISION, { ...APPROVAL, text: "x" }],
    ["an edit of nothing", DECISION, EDIT],
    ["an edit with an empty title", DECISION, { ...EDIT, title: " " }],
    ["an edit with half a surrogate pair", DECISION, { ...EDIT, text: "\ud800" }],
    ["changes without their reason", DECISION, { ...APPROVAL, verdict: "request_changes" }],
    ["changes for a blank reason", DECISION, { ...APPROVAL, verdict: "request_changes", reason: " " }],
    ["a rebase on no version", DECISION, { ...APPROVAL, verdict: "rebase" }],
    ["a rebase on a text", DECISION, { ...APPROVAL, verdict: "rebase", onVersion: "1" }],
    ["a replacement on version 0", DECISION, { ...APPROVAL, verdict: "replace", onVersion: 0 }],
    ["a take-back of nothing", TAKE_BACK, {}],
    ...SHAS.map((sha256): Row => [
      `a sha "${sha256.slice(0, 9)}" of ${sha256.length}`,
      DECISION,
      { ...APPROVAL, sha256 },
    ]),
  ]),
  ...are(409, "verdict_not_allowed", [
    ["a rebase of what is no conflict", DECISION, { ...APPROVAL, verdict: "rebase", onVersion: 1 }],
    ["an allowance of what is no budget", DECISION, { ...APPROVAL, verdict: "allow_once" }],
  ]).map((bad) => ({ ...bad, onRecord: true })),
  ...are(404, "hold_not_found", [
    ["a take-back on no hold", "POST /api/holds/hold_x/take-back", { decisionId: "dec_x" }],
  ]),
  ...are(409, "stale_proposal", [
    ["the sha of other bytes", DECISION, APPROVAL],
    ["the sha of other bytes, with a reason", DECISION, { ...APPROVAL, verdict: "reject", reason: "x" }],
  ]).map((bad) => ({ ...bad, onRecord: true })),
  ...are(400, "invalid_request", [
    ["a rejection of nothing", REJECT, { holds: [], reason: "x" }],
    ["a rejection without its reason", REJECT, { holds: [REJECTED] }],
    ["a rejection for a blank reason", REJECT, { holds: [REJECTED], reason: " " }],
    ["a rejection without the sha", REJECT, { holds: [{ holdId: "hold_x" }], reason: "x" }],
    ["51 rejections", REJECT, { holds: Array.from({ length: 51 }, () => REJECTED), reason: "x" }],
    ["a snooze without its end", SNOOZE, {}],
    ...["3x", "soon", "0d", "-1d", "2020-01-01", "2020-01-01T00:00:00Z", "2027-01-01T00:00:00"].map(
      (until): Row => [`a snooze until ${until}`, SNOOZE, { until }],
    ),
    ["a snooze that outlives the hold", SNOOZE, { until: "999d" }],
  ]),
  ...are(404, "hold_not_found", [
    ["a snooze of no hold", "POST /api/holds/hold_x/snooze", { until: "1d" }],
    ["no snooze of no hold", "DELETE /api/holds/hold_x/snooze"],
  ]),
  ...are(404, "workflow_not_found", [["holds of no workflow", "GET /api/holds?workflow=no-such-thing"]]),
  ...are(404, "run_not_found", [
    ["no report", "GET /api/session-reports/run_x"],
    ["a report that is another workflow's run", "GET /api/session-reports/{run}"],
    ["a word by no report", "POST /api/session-reports/run_x/nudges", { sessionId: "ses_x" }],
    [
      "a disagreement with no report",
      "POST /api/session-reports/run_x/disagreements",
      { sessionId: "ses_x", verdict: "done" },
    ],
  ]),
  ...are(404, "edge_not_found", [
    ["no edge", "GET /api/edges/edge_x"],
    ["an answer to no edge", "POST /api/edges/edge_x/answer", { text: "x" }],
    ["an end of no edge", "POST /api/edges/edge_x/resolve"],
  ]),
  ...are(400, "invalid_request", [
    ["an edge of no kind", "POST /api/edges", { kind: "unknown", subject: "x", question: "x" }],
    ["an edge of somebody else", "POST /api/edges", { ...EDGE, ownerUid: "stranger" }],
    ["an edge of nothing", "POST /api/edges", { ...EDGE, subject: "" }],
    ["an answer that says nothing", "POST /api/edges/edge_x/answer", {}],
    ["two answers", "POST /api/edges/edge_x/answer", { text: "x", memoId: "memo_x" }],
    ["a state that no edge has", "GET /api/edges?state=lost"],
    ["a kind that there is not", "GET /api/edges?kind=lost"],
    ["an order of edges that is none", "GET /api/edges?sort=name"],
  ]),
  ...are(404, "workflow_not_found", [["edges of no workflow", "GET /api/edges?workflow=no-such-thing"]]),
  ...are(409, "nothing_to_switch", [
    ["a schedule that its memo has", "PUT /api/workflows/draft-memo/schedules", { status: "live" }],
  ]),
  ...are(400, "invalid_request", [
    ["a schedule that is neither", "PUT /api/workflows/session-steward/schedules", { status: "on" }],
    ["a word to nobody", "POST /api/session-reports/run_x/nudges", {}],
    [
      "a word of one's own",
      "POST /api/session-reports/run_x/nudges",
      { sessionId: "ses_x", text: "stop everything" },
    ],
    [
      "a verdict that there is not",
      "POST /api/session-reports/run_x/disagreements",
      { sessionId: "ses_x", verdict: "maybe" },
    ],
  ]),
  ...are(404, "notice_not_found", [
    ["no notice", "POST /api/notices/notice_x/read"],
    ["a notice that is none", `POST /api/notices/notice_${"0".repeat(15)}-${"0".repeat(30)}/read`],
  ]),
];

const VERSIONS: Bad[] = [
  ...are(428, "precondition_required", [
    ["an update without If-Match", MEMO, { title: "x" }],
    ["a deletion without If-Match", "DELETE /api/memos/{memo}"],
    ["an empty If-Match", MEMO, { title: "x" }, { "if-match": "" }],
  ]),
  ...are(400, "invalid_request", [
    ...["*", "0", "-1", '"x"', "1.5", "latest", '"1", "2"'].map((version): Row => [
      `If-Match ${version}`,
      MEMO,
      { title: "x" },
      { "if-match": version },
    ]),
    ["an update of nothing", MEMO, {}, { "if-match": '"1"' }],
  ]),
  ...are(409, "memo_version_conflict", [
    ["an update of a later version", MEMO, { title: "x" }, LATER],
    ["a deletion of a later version", "DELETE /api/memos/{memo}", undefined, LATER],
  ]),
];

const RERUN = "POST /api/runs/{run}/rerun";
const FORK = "POST /api/runs/{run}/fork";
const REQUEUE = "POST /api/items/{item}/requeue";
const AGAIN: Bad[] = [
  ...are(409, "run_not_ended", [
    ["a rerun of a held run", RERUN],
    ["a fork of a held run", FORK, { fromStep: "draft" }],
  ]),
  ...are(409, "item_not_settled", [["a requeue of an item that runs", REQUEUE]]),
  ...are(404, "item_not_found", [["a requeue of nothing", "POST /api/items/item_x/requeue"]]),
  ...are(404, "run_not_found", [["a rerun of nothing", "POST /api/runs/run_x/rerun"]]),
  ...are(400, "invalid_request", [
    ["a fork without a step", FORK, {}],
    ["a fork from an empty step", FORK, { fromStep: "" }],
    ["a fork with a payload", FORK, { fromStep: "draft", payload: {} }],
    ["an item that says it is a fork", ITEMS, { ...BRIEF, forkOf: { runId: "run_x", step: "draft" } }],
  ]),
];

const KEYS = "POST /api/keys";
const KEY = { label: "x", scopes: ["runs:read"] };
const API_KEYS: Bad[] = [
  ...are(400, "invalid_request", [
    ["a key without a label", KEYS, { scopes: [] }],
    ["a key with a blank label", KEYS, { ...KEY, label: " " }],
    ["a key with a label of two lines", KEYS, { ...KEY, label: "x\ny" }],
    ["a key with a label that nobody sees whole", KEYS, { ...KEY, label: "x\u202ey" }],
    ["a key without scopes", KEYS, { label: "x" }],
    ["a key with a scope that is none", KEYS, { ...KEY, scopes: ["runs:write"] }],
    ["a key of a kind that is none", KEYS, { ...KEY, kind: "schedule" }],
    ["a key of somebody else", KEYS, { ...KEY, ownerUid: "stranger" }],
    ["a key as somebody else", KEYS, { ...KEY, uid: "stranger" }],
    ["a person's key under another name", KEYS, { ...KEY, kind: "human", username: "stranger" }],
    ["an agent's key that decides", KEYS, { ...KEY, scopes: ["holds:decide"] }],
    ["an agent's key that makes keys", KEYS, { ...KEY, scopes: ["keys:admin"] }],
    ["a key with its secret", KEYS, { ...KEY, key: "mk_x" }],
    ["a revocation that may be its own", "DELETE /api/keys/{key}?self=yes"],
    ["an empty Idempotency-Key", SESSIONS, SESSION, { "idempotency-key": "" }],
    ["an Idempotency-Key with a space", MEMOS, MEMO_TEXTS, { "idempotency-key": "a b" }],
    ["a long Idempotency-Key", KEYS, KEY, { "idempotency-key": "x".repeat(201) }],
  ]),
  ...are(404, "key_not_found", [
    ["no key", "DELETE /api/keys/key_x"],
    ["what is no key", "DELETE /api/keys/run_x"],
    ["a key with the name of a row", "DELETE /api/keys/KEY%23key_x"],
    ["a long key", `DELETE /api/keys/key_${"x".repeat(500)}`],
  ]),
];

/** Requests by somebody who may do everything, each wrong in one way, with the answer it gets. */
export const BAD_REQUESTS: readonly Bad[] = [
  ...FORM,
  ...CALLERS,
  ...PATHS,
  ...WORKFLOWS,
  ...LISTS,
  ...DECISIONS,
  ...VERSIONS,
  ...AGAIN,
  ...API_KEYS,
];
